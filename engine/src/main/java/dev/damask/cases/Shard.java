package dev.damask.cases;

import dev.damask.effect.EffectRunner;
import dev.damask.exec.Machine;
import dev.damask.exec.TraceEvent;
import dev.damask.exec.Tracer;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import dev.damask.store.StoreFailure;
import dev.damask.trace.TraceLevel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The owner of a part of the cases: one thread, so that no state is ever shared or locked.
///
/// ## A round
///
/// A shard lives in rounds. It takes what lies in its inbox, fires the timers that are due, moves
/// the cases concerned a few quanta each, and hands the store one batch with the next revision of
/// each case that came to rest or has something to tell. Then the next round begins, while the
/// store still syncs the batch; at most [#IN_FLIGHT_MAX] batches are under way.
///
/// ## Nothing is told before it is durable
///
/// A round tells nobody anything. Answers to callers, handlers to call and to interrupt, ends that
/// somebody awaits lie in the [Batch] and go out when its future has completed, in the order of the
/// batches. A question that changes nothing is answered behind the last batch under way, because
/// what it saw may be in it.
///
/// ## One input at a time
///
/// The machine wants an input only when a case has nothing left to do. What comes for a case that
/// still moves waits in the case's own queue. Timers that are due go before inputs of the same
/// round.
///
/// ## What a pure task costs
///
/// Nothing of its own. A case is committed when it rests, or earlier when somebody waits for an
/// answer or an effect wants to start; a case that only computes is not committed in between.
///
/// ## When something breaks
///
/// An exception out of the machine stops that case alone: what it did since its last commit is
/// dropped, and it is put aside with the evidence. An error of the store stops the engine: callers
/// that wait hear of it, and nothing is acknowledged any more.
///
/// ## Memory
///
/// A case that rests and is durable may leave memory; the store has all of it. A timer keeps its
/// due time and the id of the case, nothing else.
final class Shard {
  static final int IN_FLIGHT_MAX = 2;
  private static final int REQUESTS_PER_ROUND = 512;
  private static final int TURNS_PER_ROUND = 16;
  private static final int RESUMED_PER_ROUND = 256;

  private final Engine engine;
  private final EngineOptions options;
  private final Store store;
  private final Programs programs;
  private final Outlet outlet;
  private final CaseRunner runner;
  final Inbox inbox;

  // Everything below belongs to the shard's thread.
  private final LinkedHashMap<String, LiveCase> live = new LinkedHashMap<>(16, 0.75f, true);
  private final Set<LiveCase> moving = new LinkedHashSet<>();
  private final PriorityQueue<Store.DueCase> timers =
      new PriorityQueue<>(java.util.Comparator.comparingLong(Store.DueCase::dueMillis));
  private final Map<ProgramHash, Machine> machines = new HashMap<>();
  private final ArrayDeque<Batch> inFlight = new ArrayDeque<>();
  private final ArrayDeque<String> toResume = new ArrayDeque<>();
  private final List<Request> taken = new ArrayList<>();
  private @Nullable List<TraceEvent> tracing; // null while no case moves
  private Batch batch = new Batch();
  private volatile int resident; // written by the shard, read by whoever asks for statistics
  private volatile boolean isStopping; // written by the closer

  Shard(Engine engine, EngineOptions options, Store store, EffectRunner effects) {
    this.engine = engine;
    this.options = options;
    this.store = store;
    this.programs = engine.programs;
    this.outlet = new Outlet(options, effects, engine.counters);
    this.runner = new CaseRunner(options, store);
    this.inbox = new Inbox(options.inboxMax(), options.refuseWhenFull());
  }

  /// Before the thread starts: a case with a timer, and a case with something to take up.
  void recover(Store.DueCase due) {
    timers.add(due);
  }

  void recover(String caseId) {
    toResume.add(caseId);
  }

  /// Lives until it is stopped and everything it has is durable.
  void run() throws InterruptedException {
    options.clock().onJump(inbox::wake);
    try {
      while (!isStopping || inbox.size() > 0 || !inFlight.isEmpty()) {
        round();
      }
      settle();
    } catch (StoreFailure e) {
      engine.fail(e);
    } catch (RuntimeException | Error e) {
      engine.fail(new StoreFailure("a shard broke: " + e, e));
      throw e;
    } finally {
      inbox.close();
      failEverybody();
    }
  }

  /// No handler is called any more; what is committed is left to the next engine.
  void closing() {
    runner.closing();
  }

  void stop() {
    isStopping = true;
    inbox.close();
    inbox.wake();
  }

  int resident() {
    return resident;
  }

  void round() throws InterruptedException {
    taken.clear();
    boolean isFull = inFlight.size() >= IN_FLIGHT_MAX;
    inbox.take(taken, isFull ? 0 : REQUESTS_PER_ROUND, waitNanos(isFull));
    releaseDurable();
    if (isFull) {
      return;
    }
    long now = options.clock().millis();
    fireTimers(now);
    for (int i = 0; i < RESUMED_PER_ROUND && !toResume.isEmpty(); i++) {
      find(toResume.removeFirst());
    }
    taken.forEach(request -> accept(request, now));
    for (LiveCase each : List.copyOf(moving)) {
      move(each, now);
    }
    submit();
    evict();
  }

  private long waitNanos(boolean isFull) {
    if (isFull) {
      return Long.MAX_VALUE;
    }
    Store.DueCase next = timers.peek();
    if (!moving.isEmpty() || !toResume.isEmpty()) {
      return 0;
    }
    return next == null ? Long.MAX_VALUE : options.clock().nanosUntil(next.dueMillis());
  }

  private void fireTimers(long now) {
    while (!timers.isEmpty() && timers.peek().dueMillis() <= now) {
      LiveCase due = find(timers.remove().caseId());
      if (due != null && CaseRunner.isDue(due, now)) {
        moving.add(due);
        move(due, now);
      }
    }
  }

  private void accept(Request request, long now) {
    try {
      LiveCase known = request instanceof Request.Start ? null : find(request.caseId());
      switch (request) {
        case Request.Start start -> start(start, now);
        case Request.Look(var id, var reply) -> reply(reply, Views.of(id, known, store));
        case Request.Await(var id, var reply) -> await(id, known, reply);
        case Request.Retry(var id, var reply) -> retry(require(id, known), reply);
        case Request.Deed deed -> {
          LiveCase found = require(deed.caseId(), known);
          if (found.isQuarantined && !(deed instanceof Request.Report)) {
            throw new IllegalStateException(
                "case " + found.id + " is quarantined: look at its status, then retry it");
          }
          found.queue.addLast(deed);
          moving.add(found);
        }
      }
    } catch (IllegalArgumentException | IllegalStateException e) {
      request.refuse(e);
    }
  }

  private void start(Request.Start start, long now) {
    LiveCase known = live.get(start.caseId());
    CaseRecord record = known == null ? store.load(start.caseId()).orElse(null) : null;
    if (known == null && record == null) {
      Machine machine = machine(start.program());
      LiveCase made =
          new LiveCase(
              start.caseId(),
              start.program().name(),
              now,
              machine,
              machine.start(start.context(), now));
      live.put(made.id, made);
      made.telling.acks.add(new Batch.Ack<>(start.reply(), true));
      moving.add(made);
      engine.counters.started.increment();
      return;
    }
    String workflow = known != null ? known.workflow : Objects.requireNonNull(record).workflow();
    if (!workflow.equals(start.program().name())) {
      throw new IllegalArgumentException(
          "case %s is a case of workflow %s, not of %s"
              .formatted(start.caseId(), workflow, start.program().name()));
    }
    if (known != null && known.record == null) {
      // Its first commit is still being made: both callers hear of it together.
      known.telling.acks.add(new Batch.Ack<>(start.reply(), false));
    } else {
      reply(start.reply(), false);
    }
  }

  private LiveCase require(String caseId, @Nullable LiveCase found) {
    if (found != null) {
      return found;
    }
    CaseRecord record =
        store
            .load(caseId)
            .orElseThrow(() -> new IllegalArgumentException("there is no case " + caseId));
    throw new IllegalStateException(Views.missing(record));
  }

  private void await(
      String caseId, @Nullable LiveCase known, CompletableFuture<CaseResult> future) {
    if (known == null) {
      CaseRecord record = store.load(caseId).orElse(null);
      if (record == null) {
        throw new IllegalArgumentException("there is no case " + caseId);
      }
      List<String> lines = List.of(Views.missing(record));
      CaseResult.Report report = new CaseResult.Report(CaseResult.Reason.PROGRAM_MISSING, lines);
      reply(future, new CaseResult.Stuck(report));
      return;
    }
    CaseResult result =
        known.isAtRest() && !known.isDirty && known.queue.isEmpty() ? known.result() : null;
    if (result != null) {
      reply(future, result);
    } else {
      outlet.await(caseId, future);
    }
  }

  private void retry(LiveCase found, CompletableFuture<Boolean> future) {
    boolean wasQuarantined = found.isQuarantined;
    if (wasQuarantined) {
      found.isQuarantined = false;
      found.isDirty = true;
      runner.resume(found);
      moving.add(found);
    }
    found.telling.acks.add(new Batch.Ack<>(future, wasQuarantined));
    moving.add(found);
  }

  private <T> void reply(CompletableFuture<T> future, T value) {
    batch.acks.add(new Batch.Ack<>(future, value));
  }

  /// The case in memory, read from the store if need be; null when there is none or its program is
  /// missing.
  private @Nullable LiveCase find(String caseId) {
    LiveCase known = live.get(caseId);
    if (known != null) {
      return known;
    }
    CaseRecord record = store.load(caseId).orElse(null);
    Program program = record == null ? null : programs.find(record.program());
    if (record == null || program == null) {
      return null;
    }
    LiveCase loaded = Views.load(record, machine(program), store.intents(caseId));
    live.put(caseId, loaded);
    if (!loaded.isQuarantined) {
      runner.resume(loaded);
      if (!loaded.isAtRest() || !loaded.queue.isEmpty() || !loaded.telling.isSilent()) {
        moving.add(loaded);
      }
    }
    return loaded;
  }

  private Machine machine(Program program) {
    return machines.computeIfAbsent(
        program.hash(),
        _ -> {
          Tracer tracer = options.traceLevel() == TraceLevel.NONE ? null : new CaseTracer();
          return new Machine(
              program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, tracer));
        });
  }

  /// Hands the trace to the case that moves.
  private final class CaseTracer implements Tracer {
    @Override
    public void accept(TraceEvent event) {
      if (tracing != null) {
        tracing.add(event);
      }
    }

    @Override
    public boolean wantsAll() {
      return options.traceLevel() == TraceLevel.FULL;
    }
  }

  private void move(LiveCase each, long now) {
    tracing = each.trace;
    try {
      engine.counters.steps.add(runner.move(each, TURNS_PER_ROUND, now));
    } catch (StoreFailure e) {
      throw e;
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      quarantine(each, e);
    } finally {
      tracing = null;
    }
    if (each.isAtRest() && each.queue.isEmpty()) {
      moving.remove(each);
    }
    if (each.isDirty && (each.isAtRest() || !each.telling.isSilent() || isStopping)) {
      commit(each, each.commit(store.epoch()));
    }
    if (!each.isDirty) {
      batch.append(each.telling);
      each.telling.clear();
    }
  }

  private void commit(LiveCase each, CaseCommit commit) {
    batch.commits.add(commit);
    batch.cases.add(each);
    long due = commit.record().dueMillis();
    if (due != CaseRecord.NEVER) {
      timers.add(new Store.DueCase(due, each.id));
    }
    CaseResult result = each.isAtRest() ? each.result() : null;
    if (result != null) {
      each.telling.ends.add(new Batch.End(each.id, result));
    }
  }

  /// Puts a case aside as it was committed last, with what broke it.
  private void quarantine(LiveCase each, Throwable thrown) {
    String evidence = Views.evidence(thrown);
    IllegalStateException sentence =
        new IllegalStateException("case " + each.id + " was quarantined: " + thrown, thrown);
    each.telling.acks.forEach(ack -> ack.future().completeExceptionally(sentence));
    each.queue.forEach(deed -> deed.refuse(sentence));
    each.queue.clear();
    each.telling.clear();
    each.forget();
    CaseRecord before = each.record;
    if (before == null) {
      // It broke before it was ever committed, so nobody was told that it exists.
      live.remove(each.id);
      each.isQuarantined = true;
      return;
    }
    LiveCase restored = Views.load(before, each.machine, store.intents(each.id));
    each.restore(restored);
    each.isQuarantined = true;
    commit(each, each.commit(store.epoch(), CaseRecord.NEVER, evidence, before.state()));
  }

  private void submit() {
    Batch current = batch;
    batch = new Batch();
    if (current.commits.isEmpty()) {
      Batch last = inFlight.peekLast();
      if (last != null) {
        last.append(current);
      } else {
        outlet.release(current);
      }
      return;
    }
    current.durable = store.commit(new CommitBatch(current.commits));
    inFlight.addLast(current);
    if (current.durable.isDone()) {
      releaseDurable();
    } else {
      var _ = current.durable.whenComplete((_, _) -> inbox.wake());
    }
  }

  private void releaseDurable() {
    while (!inFlight.isEmpty() && inFlight.peekFirst().durable.isDone()) {
      Batch done = inFlight.peekFirst();
      try {
        done.durable.join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof StoreFailure failure
            ? failure
            : new StoreFailure("the store failed: " + e.getCause(), e);
      }
      inFlight.removeFirst();
      outlet.release(done);
    }
  }

  private void evict() {
    resident = live.size();
    if (live.size() <= options.residentMax()) {
      return;
    }
    var all = live.values().iterator();
    int surplus = live.size() - options.residentMax();
    for (int looked = 0; surplus > 0 && looked < 2 * surplus + 16 && all.hasNext(); looked++) {
      if (all.next().isEvictable()) {
        all.remove();
        surplus--;
      }
    }
  }

  /// Commits what still moves and waits until all is durable.
  private void settle() throws InterruptedException {
    for (LiveCase each : List.copyOf(moving)) {
      if (each.isDirty) {
        commit(each, each.commit(store.epoch()));
        batch.append(each.telling);
      }
    }
    submit();
    while (!inFlight.isEmpty()) {
      taken.clear();
      inbox.take(taken, 0, TimeUnit.SECONDS.toNanos(1));
      releaseDurable();
    }
  }

  private void failEverybody() {
    StoreFailure failure = engine.failure();
    RuntimeException sentence =
        failure == null ? new IllegalStateException(Engine.CLOSED) : failure;
    inFlight.forEach(
        each -> each.acks.forEach(ack -> ack.future().completeExceptionally(sentence)));
    batch.acks.forEach(ack -> ack.future().completeExceptionally(sentence));
    for (LiveCase each : live.values()) {
      each.telling.acks.forEach(ack -> ack.future().completeExceptionally(sentence));
      each.queue.forEach(deed -> deed.refuse(sentence));
    }
    taken.forEach(request -> request.refuse(sentence));
    for (Request left : inbox.drain()) {
      left.refuse(sentence);
    }
    outlet.refuse(sentence);
  }
}
