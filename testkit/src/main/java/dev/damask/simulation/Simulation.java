package dev.damask.simulation;

import dev.damask.cases.EngineOptions;
import dev.damask.cases.ManualEngine;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.effect.Receipt;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.Outcome;
import dev.damask.exec.StateCodec;
import dev.damask.store.CaseRecord;
import dev.damask.store.MemoryStore;
import dev.damask.store.StoreFailure;
import dev.damask.testkit.Choices;
import dev.damask.testkit.VirtualClock;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One run: a few cases on the real engine, in one thread, on a virtual clock, with everything
/// going wrong that its faults allow; then everything heals and every case has to come to its end.
/// Three sequences of choices decide all of it: the same three give the same run, event by event.
final class Simulation {
  private static final int EVENTS_MAX = 4_000;
  static final long BEGIN = 1_700_000_000_000L;

  final MemoryStore disk = new MemoryStore();
  final World world = new World(this);
  final Invariants invariants = new Invariants(this);
  final Repetition repetition = new Repetition();

  private final SimulationPlan plan;
  private final Choices scheduling;
  private final Choices chance;
  private final List<Job> jobs;
  private final EngineOptions options;
  private final VirtualClock clock = new VirtualClock(BEGIN);
  private final Agenda agenda = new Agenda();
  private final Clients clients = new Clients(this);
  private final int[] counts = new int[Situation.values().length];
  private final @Nullable StringBuilder log;

  private Faults faults;
  private @Nullable ManualEngine engine; // null while the process is down
  private SimulatedStore store;
  private int life;
  private int moments;
  private int crashes;
  private boolean isDying;
  private @Nullable Violation violation; // null while everything holds
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
    EngineOptions plain = plan.options(clock);
    this.options = plan.comparesBytes() ? plain.withWatch(repetition) : plain;
    this.store = new SimulatedStore(disk, this);
  }

  /// Runs it to the end; a [Violation] when something does not hold.
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
    store = new SimulatedStore(disk, this);
    int current = life;
    engine = plan.work().open(options, store, sink -> effects(sink, current));
    plannedTick = Long.MAX_VALUE;
    if (diedAtDue <= clock.time()) {
      count(Situation.TIMER_AFTER_OUTAGE);
    }
    diedAtDue = Long.MAX_VALUE;
  }

  private Effects effects(Effects.Sink sink, int current) {
    return new SimulatedEffects(this, sink, current);
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
        throw new Violation("I16", "it never comes to rest after the heal");
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
    Agenda.Entry next = agenda.poll();
    if (next == null || (next.life() != 0 && (engine == null || next.life() != life))) {
      return; // it belongs to a process that is gone
    }
    events++;
    clock.moveTo(next.atMillis());
    if (Faults.happens(chance, faults.clockJump())) {
      clock.moveTo(clock.time() + 3_600_000L * (1 + chance.next(3)));
      count(Situation.CLOCK_JUMPED);
    }
    note(next.what());
    try {
      next.action().run();
      if (engine != null) {
        turns(scheduling.next(4) > 0);
      }
    } catch (ProcessDeath e) {
      crash();
    }
    if (violation != null) {
      throw violation;
    }
    if (plan.comparesBytes() && engine != null) {
      jobs.forEach(job -> invariants.rebuilt(engine, job.caseId()));
    }
  }

  /// Something does not hold, found where nobody would hear of an exception.
  void violated(Violation found) {
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
      if (hasMore) {
        later(1 + scheduling.next(3), life, "turn", () -> {});
      }
      long due = running.nextDue();
      if (due != CaseRecord.NEVER && due < plannedTick) {
        plannedTick = due;
        agenda.plan(
            Math.max(due, clock.time() + 1), life, "tick", () -> plannedTick = Long.MAX_VALUE);
      }
    } catch (StoreFailure e) {
      crash(); // an engine whose store has failed is as good as dead
    }
  }

  private void crash() {
    ManualEngine dying = engine;
    if (dying == null) {
      return;
    }
    note("crash");
    count(Situation.CRASH);
    crashes++;
    try {
      diedAtDue = dying.nextDue();
    } catch (StoreFailure e) {
      diedAtDue = Long.MAX_VALUE;
    }
    isDying = false;
    store.crash();
    disk.reopened();
    repetition.forget();
    engine = null;
    agenda.plan(
        clock.time() + chance.next(5_000),
        0,
        "open",
        () -> {
          if (engine == null) {
            open();
          }
        });
  }

  private void judge() {
    for (Job job : jobs) {
      CaseRecord record = disk.load(job.caseId()).orElse(null);
      if (record == null) {
        throw new Violation("I1", "case " + job.caseId() + " is missing");
      }
      Machine machine = machine(record);
      ExecState state = StateCodec.decode(machine, record.state());
      boolean waitsForNamed =
          machine.outcome(state) instanceof Outcome.Waits(var effects, var places, var due)
              && effects.isEmpty()
              && due.isEmpty()
              && !places.isEmpty();
      invariants.live(record, waitsForNamed, job.isPoison());
      invariants.tampered(record, disk.receipts(job.caseId()));
      job.check().look(record, state.result(), world);
    }
    List<String> problems = disk.verify();
    if (!problems.isEmpty()) {
      throw new Violation("G5", problems.toString());
    }
  }

  Machine machine(CaseRecord record) {
    return plan.work().machine(record.caseId());
  }

  /// Whether the tasks of a case do the same when they run again: one probe looks at the clock, and
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

  Choices chance() {
    return chance;
  }

  long now() {
    return clock.time();
  }

  void later(long millis, int forLife, String what, Runnable action) {
    agenda.plan(clock.time() + millis, forLife, what, action);
  }

  /// Dies here if the plan says so.
  void pass(Moment moment) {
    if (plan.crashesAt(++moments)) {
      note(moment.name());
      throw new ProcessDeath(moment);
    }
  }

  void planSync(Runnable sync) {
    later(scheduling.next(Math.max(1, faults.slowDisk())), life, "sync", sync);
  }

  boolean diskFails() {
    return Faults.happens(chance, faults.failingDisk());
  }

  boolean diskIsFull() {
    boolean isFull = Faults.happens(chance, faults.fullDisk());
    if (isFull) {
      count(Situation.DISK_FULL);
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

  /// A task takes the whole process along. Its code runs on for a moment; nobody will know.
  void processDies() {
    isDying = true;
    store.die();
  }

  /// The world works on a request and answers, however well.
  void perform(EffectCall call, int forLife, Consumer<EffectResult> report) {
    boolean fails = Faults.happens(chance, faults.failedCall());
    EffectResult answer =
        fails ? new EffectResult.Failed("chance", "") : plan.job(jobs, call).answers().apply(call);
    boolean isOk = answer instanceof EffectResult.Ok;
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

  void noteReceipt(Receipt receipt) {
    switch (receipt.body().result()) {
      case Receipt.Result.Duplicate _ -> count(Situation.DUPLICATE_RESULT_DROPPED);
      case Receipt.Result.Late _ -> count(Situation.LATE_RESULT_DROPPED);
      case Receipt.Result.Indeterminate _ -> count(Situation.INDETERMINATE_OUTCOME);
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

  void count(Situation situation) {
    counts[situation.ordinal()]++;
  }

  void note(String what) {
    hash = (hash * 31 + what.hashCode()) * 31 + clock.time();
    if (log != null) {
      log.append("%8d %s%n".formatted(clock.time() - BEGIN, what));
    }
  }

  /// A revision reaches the disk; the hash of the run covers its bytes.
  void noteRevision(CaseRecord record) {
    hash = (hash * 31 + record.revision()) * 31 + Arrays.hashCode(record.state());
  }

  /// What happened, one line an event; empty unless it was asked for.
  String log() {
    return log == null ? "" : log.toString();
  }
}
