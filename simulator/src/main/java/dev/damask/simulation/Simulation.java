package dev.damask.simulation;

import dev.damask.cases.EngineOptions;
import dev.damask.cases.ManualEngine;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.event.Failure;
import dev.damask.event.Outcome;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.history.CaseObserver;
import dev.damask.program.Program;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.MemoryStore;
import dev.damask.store.StoreException;
import dev.damask.term.WorkflowDefinition;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One run: a few cases on the real engine, in one thread, on a virtual clock, with everything
/// going wrong that its faults allow; then everything heals and every case has to come to its end.
/// Three sequences of choices decide all of it: the same three give the same run, event by event.
final class Simulation {
  private static final int EVENTS_MAX = 4_000;
  static final long BEGIN = 1_700_000_000_000L;

  final MemoryStore disk = new MemoryStore();
  final SimulatedServices world = new SimulatedServices(this);
  final Invariants invariants = new Invariants(this);
  final Repetition repetition;

  final SimulationPlan plan;
  private final Choices scheduling;
  private final Choices chance;
  private final List<Job> jobs;
  private final EngineOptions options;
  private final VirtualClock clock = new VirtualClock(BEGIN);
  private final EventQueue agenda = new EventQueue();
  private final Clients clients = new Clients(this);
  private final Map<String, Removed> removed = new HashMap<>();
  final int[] counts = new int[CoveragePoint.values().length];
  private final @Nullable StringBuilder log;

  private Faults faults;
  private @Nullable ManualEngine engine; // null while the process is down
  private SimulatedStore store;
  private int life;
  private int moments;
  private int crashes;
  private boolean isDying;
  private @Nullable InvariantViolation violation; // null while everything holds
  private long plannedTick = Long.MAX_VALUE;
  private long diedAtDue = Long.MAX_VALUE;
  private int events;
  private long hash = 17;

  Simulation(SimulationPlan plan, boolean isLogged) {
    this.plan = plan;
    this.scheduling = plan.scheduling();
    this.chance = plan.chance();
    this.faults = plan.faults();
    this.log = isLogged ? new StringBuilder() : null;
    this.jobs = plan.work().jobs(this, faults.poison() > 0);
    this.repetition = new Repetition(program -> plan.work().machine(program));
    CaseObserver watch = plan.comparesBytes() ? repetition : CaseObserver.NONE;
    this.options = plan.options(clock).withWatch(new BreakingWatch(this, watch));
    this.store = new SimulatedStore(disk, this);
  }

  /// Runs it to the end; a [InvariantViolation] when something does not hold.
  SimulationReport run() {
    open();
    jobs.forEach(clients::plan);
    work();
    heal();
    judge();
    return new SimulationReport(events, moments, crashes, hash, counts.clone());
  }

  private void open() {
    life++;
    if (Faults.happens(chance, faults.clockBack())) {
      clock.set(3_600_000L * (1 - chance.next(4)) - chance.next(2_000));
      count(CoveragePoint.CLOCK_SET_BACK);
    }
    store = new SimulatedStore(disk, this);
    int current = life;
    engine = plan.work().open(options, store, sink -> new SimulatedEffects(this, sink, current));
    engine.callersRun(() -> scheduling.next(2) > 0);
    engine.freezes(() -> (hash & 3) > 0); // what has happened so far decides
    plannedTick = Long.MAX_VALUE;
    if (diedAtDue <= clock.shown()) {
      count(CoveragePoint.TIMER_AFTER_OUTAGE);
    }
    if (diedAtDue == clock.shown()) {
      count(CoveragePoint.TIMER_DUE_AT_RESTART);
    }
    diedAtDue = Long.MAX_VALUE;
  }

  private void work() {
    while (!agenda.isEmpty() && events < plan.eventsMax()) {
      step();
      if (engine != null && crashes < plan.crashesMax() && Faults.happens(chance, faults.crash())) {
        crash();
      }
    }
  }

  private void heal() {
    faults = Faults.NONE;
    note("heal");
    int before = events;
    while (true) {
      if (engine == null && agenda.isEmpty()) {
        open();
      }
      if (engine != null) {
        rest();
      }
      if (agenda.isEmpty()) {
        if (engine != null) {
          return;
        }
        continue;
      }
      if (events - before > EVENTS_MAX) {
        throw new InvariantViolation("I16", "it never becomes idle after the faults have ended");
      }
      step();
    }
  }

  private void rest() {
    try {
      turns(true);
    } catch (ProcessDeath e) {
      crash();
    }
  }

  private void step() {
    EventQueue.Entry next = agenda.poll();
    if (next == null || (next.life() != 0 && (engine == null || next.life() != life))) {
      return; // it belongs to a process that is gone
    }
    events++;
    clock.moveTo(next.atMillis());
    if (Faults.happens(chance, faults.clockJump())) {
      clock.moveTo(clock.time() + 3_600_000L * (1 + chance.next(3)));
      count(CoveragePoint.CLOCK_JUMPED);
    }
    note(next.what());
    try {
      next.action().run();
      boolean sweeps = engine != null && Faults.happens(chance, faults.retention());
      if (engine != null && sweeps && clients.haveStarted()) {
        engine.sweep(clock.millis() - chance.next(20_000));
      }
      if (engine != null) {
        turns(scheduling.next(4) > 0);
      }
    } catch (ProcessDeath | StoreException e) {
      crash();
    }
    if (violation != null) {
      throw violation;
    }
    if (plan.comparesBytes() && engine != null) {
      jobs.forEach(job -> invariants.rebuilt(engine, job.caseId()));
    }
  }

  /// Records a violation that was found where an exception would be lost.
  void violated(InvariantViolation found) {
    violation = violation == null ? found : violation;
  }

  /// Lets the engine work: until it rests, or only for one round.
  private void turns(boolean untilRest) {
    ManualEngine running = engine;
    if (running == null) {
      return;
    }
    try {
      boolean hasMore = running.turn();
      while (hasMore && untilRest && !isDying) {
        hasMore = running.turn();
      }
      if (isDying) {
        crash();
        return;
      }
      running.requireWorks();
      if (hasMore) {
        later(1 + scheduling.next(3), life, "turn", () -> {});
      }
      long due = faults == Faults.NONE ? running.nextTimer() : running.nextDue(); // or no end
      if (due != CaseRecord.NEVER && due < plannedTick) {
        plannedTick = due;
        long at = due - clock.shown() + clock.time();
        agenda.plan(
            Math.max(at, clock.time() + 1), life, "tick", () -> plannedTick = Long.MAX_VALUE);
      }
    } catch (StoreException e) {
      crash(); // an engine whose store has failed is as good as dead
    }
  }

  private void crash() {
    ManualEngine dying = engine;
    if (dying == null) {
      return;
    }
    note("crash");
    count(CoveragePoint.CRASH);
    crashes++;
    try {
      diedAtDue = dying.nextDue();
    } catch (StoreException e) {
      diedAtDue = Long.MAX_VALUE;
    }
    isDying = false;
    store.crash();
    disk.reopened();
    repetition.forget();
    engine = null;
    agenda.plan(
        clock.time() + outage(),
        0,
        "open",
        () -> {
          if (engine == null) {
            open();
          }
        });
  }

  /// How long the process is down; sometimes exactly until the next timer is due.
  private long outage() {
    long untilDue = diedAtDue - clock.shown();
    boolean isExact = untilDue >= 0 && untilDue < 30_000 && chance.oneIn(3);
    return isExact ? untilDue : chance.next(5_000);
  }

  private void judge() {
    for (Job job : jobs) {
      Removed gone = removed.get(job.caseId());
      CaseRecord record = gone == null ? disk.record(job.caseId()).orElse(null) : gone.record;
      if (record == null) {
        throw new InvariantViolation("I1", "case " + job.caseId() + " is missing");
      }
      Machine machine = machine(record);
      ExecState state = record.decode(machine);
      boolean waitsForNamed =
          machine.outcome(state)
                  instanceof Outcome.Waits(var effects, var places, var sets, var due)
              && effects.isEmpty()
              && due.isEmpty()
              && !(places.isEmpty() && sets.isEmpty());
      invariants.live(record, waitsForNamed, job.isPoison());
      invariants.tampered(record, receipts(job.caseId()));
      job.check().look(record, state.result(), world);
    }
    List<String> problems = disk.verify();
    if (!problems.isEmpty()) {
      throw new InvariantViolation("G5", problems.toString());
    }
  }

  /// A case that retention has removed, as it was.
  private record Removed(CaseRecord record, List<Receipt> receipts) {}

  /// Retention removes a case.
  void removing(String caseId) {
    CaseRecord record = disk.record(caseId).orElse(null);
    if (record == null || !record.status().isEnded()) {
      throw new InvariantViolation(
          "G6", "retention removes case " + caseId + ", which has not ended");
    }
    count(CoveragePoint.CASE_REMOVED);
    removed.put(caseId, new Removed(record, disk.receipts(caseId)));
  }

  /// The ids of the cases that retention has removed.
  java.util.Set<String> removed() {
    return removed.keySet();
  }

  /// The receipts of a case, also of one that was removed.
  List<Receipt> receipts(String caseId) {
    Removed gone = removed.get(caseId);
    return gone == null ? disk.receipts(caseId) : gone.receipts;
  }

  /// A case was quarantined by an engine that continues; a client will release it.
  void putAside(String caseId) {
    clients.retry(caseId);
  }

  boolean moveBreaks() {
    boolean breaks = Faults.happens(chance, faults.breaks());
    if (breaks) {
      count(CoveragePoint.MOVE_BROKEN);
    }
    return breaks;
  }

  boolean isLate() {
    return Faults.happens(chance, faults.zombie());
  }

  Program program(WorkflowDefinition workflow) {
    return plan.work().program(workflow);
  }

  Machine machine(CaseRecord record) {
    return plan.work().machine(record.caseId(), record.program());
  }

  Workload workload() {
    return plan.work();
  }

  /// Whether the tasks of a case do the same when they run again: one probe reads the clock, and
  /// one kills the process.
  static boolean isRepeatable(CaseRecord record) {
    return !record.workflow().startsWith("poison") && !record.workflow().startsWith("timer");
  }

  // What the parts ask the run for.

  @Nullable ManualEngine engine() {
    return engine;
  }

  Faults faults() {
    return faults;
  }

  int life() {
    return life;
  }

  Choices chance() {
    return chance;
  }

  /// What the clock of the engine should show.
  long now() {
    return clock.shown();
  }

  void later(long millis, int forLife, String what, Runnable action) {
    agenda.plan(clock.time() + millis, forLife, what, action);
  }

  /// Dies here if the plan says so.
  void pass(CrashPoint moment) {
    if (plan.crashesAt(++moments)) {
      note(moment.name());
      throw new ProcessDeath(moment);
    }
  }

  void planSync(Runnable sync) {
    later(scheduling.next(Math.max(1, faults.slowDisk())), life, "sync", sync);
  }

  boolean writesInline() {
    return scheduling.next(2) > 0;
  }

  boolean diskFails() {
    return Faults.happens(chance, faults.failingDisk());
  }

  boolean diskIsFull() {
    boolean isFull = Faults.happens(chance, faults.fullDisk());
    if (isFull) {
      count(CoveragePoint.DISK_FULL);
    }
    return isFull;
  }

  boolean survives() {
    return !plan.isExact() && chance.next(3) == 0;
  }

  boolean tears() {
    return Faults.happens(chance, faults.torn());
  }

  int below(int bound) {
    return bound <= 1 ? 0 : chance.next(bound);
  }

  /// A task kills the whole process. Its code still runs for a moment, without effect.
  void processDies() {
    isDying = true;
    store.die();
  }

  /// The world works on a request and answers, however well.
  void perform(EffectCall call, int forLife, Consumer<EffectResult> report) {
    EffectResult right = plan.job(jobs, call).answers().apply(call);
    EffectResult answer = Faults.happens(chance, faults.failedCall()) ? failure(call) : right;
    // After a broken connection the request may have taken effect all the same.
    boolean isOk =
        answer instanceof EffectResult.Ok
            || (answer instanceof EffectResult.Failed(var reason, _, _)
                && reason.equals(EffectResult.EXCEPTION)
                && chance.oneIn(2));
    long arrives = scheduling.next(50);
    long answers = arrives + scheduling.next(50);
    if (Faults.happens(chance, faults.lateResult())) {
      answers += 5_000 + scheduling.next(60_000);
    }
    later(
        arrives,
        0,
        "world",
        () -> {
          if (isOk) {
            world.apply(call);
          }
        });
    later(answers, forLife, "result", () -> report.accept(answer));
    if (Faults.happens(chance, faults.twiceResult())) {
      later(answers + scheduling.next(500), forLife, "result again", () -> report.accept(answer));
    }
  }

  /// A slow task runs for a while; it dies with the process.
  void compute(int forLife, Runnable end) {
    long millis = Faults.happens(chance, faults.lateResult()) ? 10_000 : scheduling.next(100);
    later(millis, forLife, "computed", end);
  }

  /// An attempt fails: nothing was sent, the connection broke, or the receiver refused it.
  private EffectResult failure(EffectCall call) {
    return switch (chance.next(3)) {
      case 0 -> {
        world.notSent(call);
        yield new EffectResult.Failed(Failure.NOT_SENT, "");
      }
      case 1 -> new EffectResult.Failed(EffectResult.EXCEPTION, "");
      default -> new EffectResult.Failed("chance", "");
    };
  }

  void noteReceipt(Receipt receipt) {
    switch (receipt.body().result()) {
      case Receipt.Result.Duplicate _ -> count(CoveragePoint.DUPLICATE_RESULT_DROPPED);
      case Receipt.Result.Late _ -> count(CoveragePoint.LATE_RESULT_DROPPED);
      case Receipt.Result.Indeterminate _ -> count(CoveragePoint.INDETERMINATE_OUTCOME);
      case Receipt.Result.Ok _,
          Receipt.Result.Failed _,
          Receipt.Result.Cancelled _,
          Receipt.Result.Approved _,
          Receipt.Result.Refused _ -> {}
    }
  }

  boolean comparesBytes() {
    return plan.comparesBytes();
  }

  void count(CoveragePoint situation) {
    counts[situation.ordinal()]++;
  }

  void note(String what) {
    hash = (hash * 31 + what.hashCode()) * 31 + clock.time();
    if (log != null) {
      log.append("%8d %s%n".formatted(clock.time() - BEGIN, what));
    }
  }

  /// A revision reaches the disk; the hash of the run covers its bytes.
  void noteRevision(CaseCommit commit) {
    int bytes = commit.state() == null ? 0 : Arrays.hashCode(commit.state().record().bytes());
    hash = (hash * 31 + commit.record().revision()) * 31 + bytes;
  }

  /// What happened, one line an event; empty unless it was asked for.
  String log() {
    return log == null ? "" : log.toString();
  }
}
