package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.effect.Effects;
import dev.damask.intake.DueCases;
import dev.damask.intake.Inbox;
import dev.damask.intake.PublishQueue;
import dev.damask.intake.RecentEnds;
import dev.damask.intake.Request;
import dev.damask.intake.ShardActivity;
import dev.damask.steps.ScriptSteps;
import dev.damask.store.CaseCommit;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The owner of a part of the cases. All of its state belongs to the thread that holds its lock.
///
/// ## Who holds the lock
///
/// The shard's own thread ([ShardThread]) holds it during a round and waits for work without it. A
/// caller that waits for its answer takes it for one round with its own request, if the shard is
/// idle ([CallerTurn]).
///
/// ## A round
///
/// In a round, a shard takes the requests from its inbox, fires the timers that are due, moves the
/// cases concerned by a few quanta each, and submits one batch to the store. The batch has the next
/// revision of each case that became idle or has results to publish. The next round begins while
/// the store still syncs the batch; at most [#IN_FLIGHT_MAX] batches are in flight.
///
/// ## Results are published after they are durable
///
/// A round publishes nothing. Replies to callers, handlers to call and to interrupt, and awaited
/// results are kept in the [Batch]. When its future has completed they enter the [PublishQueue], in
/// the order of the batches, and are published after the lock is released. A read request is
/// answered after the last batch in flight, because the state that it saw may be in that batch.
///
/// ## One input at a time
///
/// The machine accepts an input only when a case is idle. Inputs for a case that still moves wait
/// in the case's queue. Timers that are due are applied before inputs of the same round.
///
/// ## The cost of a pure task
///
/// A pure task causes no commit. A case is committed when it is idle, or earlier if a caller waits
/// for a reply or an effect must start. A case that only computes is not committed in between.
///
/// ## Failures
///
/// An exception of the machine stops only its case: the changes since its last commit are dropped,
/// and it is quarantined with the evidence. The same holds for a case that cannot be encoded; a
/// case that cannot be read is left unchanged. Any other error in a round restarts the shard from
/// the store and quarantines the active case (ADR 0015). An error of the store stops the engine:
/// waiting callers receive the exception, and nothing is acknowledged from then on. The id of a
/// case that crashes the process is stored ([Store#moving]); the case is quarantined if that
/// happens repeatedly.
///
/// ## Memory
///
/// An idle case whose state is durable may be removed from memory. Only the next timers are in
/// memory ([DueCases]).
final class Shard {
  static final int IN_FLIGHT_MAX = 4;
  private static final int REQUESTS_PER_ROUND = 512;
  private static final int TURNS_PER_ROUND = 16;
  private static final int RESUMED_PER_ROUND = 256;
  private static final int TIMERS_WINDOW = 4_096;
  private static final int TIMERS_PER_ROUND = 512;

  final int number;
  final Engine engine;
  final EngineOptions options;
  final Store store;
  final CommitPublisher publisher;
  final CaseRunner runner;
  final ShardPermits permits;
  final Resumption resumption;
  final RequestHandler requestHandler = new RequestHandler(this);
  final ReceivedMessages messages;
  final CasePauses pauses;
  final Inbox inbox;
  final PublishQueue publishing = new PublishQueue();
  final RecentEnds ends = new RecentEnds();
  final ReentrantLock lock = new ReentrantLock();
  final CallerTurn caller = new CallerTurn(this);
  private final JoinedSteps joined = new JoinedSteps(this);
  final ShardThread thread = new ShardThread(this);

  // Everything below belongs to the thread that holds the lock.
  final CaseCache live;
  final Set<LiveCase> moving = new LinkedHashSet<>();
  final DueCases timers;
  final Machines machines;
  final BatchesInFlight inFlight = new BatchesInFlight(this);
  final ArrayDeque<String> toResume = new ArrayDeque<>();
  private final ArrayDeque<String> suspects = new ArrayDeque<>();
  final List<Request> taken = new ArrayList<>();
  private Batch batch;
  private boolean isBlaming;
  private String current = ""; // the case at work, should something break
  private boolean isCallers; // whether a caller's thread holds the lock
  final ShardActivity activity = new ShardActivity();
  private volatile boolean isStopping; // written by the closer
  private volatile boolean isLate; // written by the closer: user code has had its time

  Shard(int number, Engine engine, EngineOptions options, Store store, Effects effects) {
    this.number = number;
    this.engine = engine;
    this.options = options;
    this.store = store;
    this.batch = new Batch(engine.ownership.isShared());
    this.publisher = new CommitPublisher(options, effects, engine, ends);
    this.pauses = new CasePauses(this);
    this.messages = new ReceivedMessages(this);
    this.inbox = new Inbox(options.inboxMax(), options.refuseWhenFull());
    this.machines = new Machines(options);
    this.permits = new ShardPermits(this, engine.permits);
    ScriptSteps steps = ScriptSteps.of(store, options.clock(), effects.mayBlock(), inbox::put);
    this.runner = new CaseRunner(this, machines, steps);
    this.resumption = new Resumption(runner, engine.ownership);
    this.live = new CaseCache(store, engine.programs, machines, options.residentMax());
    this.timers = new DueCases(store::due, id -> engine.shard(id) == this, TIMERS_WINDOW);
  }

  /// Before the thread starts: a case with something to take up.
  void recover(String caseId) {
    toResume.add(caseId);
  }

  /// Before the thread starts: a case that was being moved when the process before this one died.
  void suspect(String caseId) {
    suspects.add(caseId);
  }

  /// Whether the shard's thread still has something to do.
  boolean isNeeded() {
    return !isStopping || (inbox.size() > 0 && !isLate) || !inFlight.isEmpty();
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

  /// Moves no case any more; what was moved is committed.
  void hurry() {
    isLate = true;
    inbox.wake();
  }

  int resident() {
    return live.size();
  }

  /// The case at work; empty when there is none.
  String current() {
    return current;
  }

  /// Takes the batch that was not handed to the store.
  Batch takeBatch() {
    Batch taken = batch;
    batch = new Batch(engine.ownership.isShared());
    return taken;
  }

  /// Whether nothing waits, moves or is in flight here.
  boolean isAtRest() {
    return isAlone()
        && inFlight.isEmpty()
        && !isStopping
        && !thread.isRestarting()
        && !engine.ownership.isPaused();
  }

  /// Whether no request waits and no case moves.
  boolean isAlone() {
    return inbox.size() == 0 && isSettled();
  }

  /// Whether no case moves or waits to be resumed.
  boolean isSettled() {
    boolean isIdle = moving.isEmpty() && toResume.isEmpty() && permits.isIdle();
    return isIdle && suspects.isEmpty() && !isBlaming;
  }

  /// One round with the request of a caller, and nothing else.
  void callerRound(Request request) {
    isCallers = true;
    taken.clear();
    taken.add(request);
    activity.begin();
    try {
      long now = options.clock().millis();
      accept(now);
      for (LiveCase each : List.copyOf(moving)) {
        move(each, now);
      }
      current = "";
    } finally {
      activity.end();
    }
    submit();
    live.evict();
  }

  void endCallerRound() {
    isCallers = false;
    taken.clear();
  }

  /// Ends the turn of a caller after an error. On the shard's own thread it does nothing.
  void undoIfCallers(@Nullable Throwable thrown) {
    if (isCallers && thrown instanceof Error error) {
      throw new CallerTurn.Undo(error);
    }
  }

  void round() throws InterruptedException {
    round(isFull());
  }

  /// A round that does not wait; false when there was nothing to do.
  boolean turn() throws InterruptedException {
    inFlight.releaseDurable();
    boolean isDue = permits.next(timers.next()) <= options.clock().millis();
    boolean hasWork = !isSettled() || inbox.size() > 0 || isDue;
    if (isFull() || !hasWork) {
      publishing.drain(() -> false);
      return false;
    }
    round(false);
    publishing.drain(() -> false);
    return true;
  }

  private void round(boolean isFull) throws InterruptedException {
    if (!suspects.isEmpty()) {
      isBlaming = true;
      suspects.forEach(each -> thread.blame(each, options.clock().millis()));
      suspects.clear();
      submit();
      return;
    }
    taken.clear();
    inbox.take(taken, isFull ? 0 : REQUESTS_PER_ROUND);
    inFlight.releaseDurable();
    if (isFull) {
      return;
    }
    activity.begin();
    try {
      work(options.clock().millis());
    } finally {
      activity.end();
    }
    submit();
    live.evict();
  }

  private void work(long now) {
    current = "";
    fireTimers(now);
    for (int i = 0; i < RESUMED_PER_ROUND && !toResume.isEmpty(); i++) {
      findUnlessDamaged(toResume.removeFirst(), now);
    }
    permits.accept(now);
    accept(now);
    for (LiveCase each : List.copyOf(moving)) {
      if (!isLate) {
        move(each, now);
        joined.perform(each, now);
      }
    }
    permits.announce(batch.telling);
    current = "";
  }

  private void accept(long now) {
    for (Request request : taken) {
      current = request.caseId();
      requestHandler.accept(request, now);
    }
  }

  boolean isFull() {
    isBlaming &= !inFlight.isEmpty();
    return isBlaming || inFlight.size() >= IN_FLIGHT_MAX || engine.ownership.isPaused();
  }

  private void fireTimers(long now) {
    for (int i = 0; i < TIMERS_PER_ROUND && !isLate; i++) {
      String caseId = timers.poll(now);
      if (caseId == null) {
        return;
      }
      LiveCase due = findUnlessDamaged(caseId, now);
      if (due != null && CaseRunner.isDue(due, now)) {
        moving.add(due);
        move(due, now);
      }
    }
  }

  /// Takes a case out of the store with the next batch.
  void remove(String caseId) {
    live.remove(caseId);
    timers.remove(caseId);
    ends.remove(caseId);
    messages.forget(caseId);
    batch.of(caseId).remove(store, caseId);
  }

  boolean isRemoving(String caseId) {
    return batch.isRemoving(caseId) || inFlight.isRemoving(caseId);
  }

  /// Replies about a case after the last batch in flight, because what was seen may be in it.
  <T> void reply(String caseId, CompletableFuture<T> future, T value) {
    telling(caseId).acks.add(new AfterCommit.Ack<>(future, value));
  }

  /// Replies about no case after the last batch in flight.
  <T> void reply(CompletableFuture<T> future, T value) {
    batch.telling.acks.add(new AfterCommit.Ack<>(future, value));
  }

  /// As [#find]; a case that cannot be read is left where it is.
  @Nullable LiveCase findUnlessDamaged(String caseId, long now) {
    try {
      return find(caseId, now);
    } catch (CorruptCaseException e) {
      engine.corrupt.add(e);
      return null;
    }
  }

  /// The case in memory, read from the store if need be; null when there is none, it is about to
  /// go, or its program is missing.
  @Nullable LiveCase find(String caseId, long now) {
    LiveCase known = live.get(caseId);
    if (known != null) {
      return known;
    }
    if (isRemoving(caseId) || !engine.ownership.owns(caseId)) {
      return null;
    }
    current = caseId;
    LiveCase loaded = live.read(caseId);
    engine.corrupt.remove(caseId);
    if (loaded != null && !loaded.isQuarantined) {
      pauses.takeUp(loaded, now);
      if (!loaded.isAtRest() || !loaded.queue.isEmpty() || loaded.hasNews()) {
        moving.add(loaded);
      }
    }
    return loaded;
  }

  void move(LiveCase each, long now) {
    current = each.id;
    machines.trace(each);
    // First: a shard that was left behind must not reach the store.
    activity.begin(each.id, each.workflow, each.machine);
    store.moving(number, each.id);
    CaseResult<Context> result = null;
    try {
      engine.counters.steps.add(runner.move(each, TURNS_PER_ROUND, now));
      result = resultOf(each);
    } catch (RuntimeException | Error e) { // whatever it is, it ends this case and no other
      if (e instanceof StoreException && !(e instanceof CorruptCaseException)) {
        throw e;
      }
      undoIfCallers(e);
      quarantine(each, e, now);
    } finally {
      engine.counters.moving.record(activity.end());
      machines.trace(null);
      store.moving(number, "");
    }
    if (each.isAtRest() && (each.queue.isEmpty() || each.isPaused())) {
      moving.remove(each);
    }
    each.isTraceFull = each.trace.size() >= options.traceEventsMax();
    if (each.isDirty && (each.isAtRest() || each.hasNews() || isStopping || each.isTraceFull)) {
      commit(each, result, now);
    }
    if (!each.isDirty) {
      batch.tell(each);
      each.published();
    }
  }

  /// A state that cannot be written concerns its case alone.
  private void commit(LiveCase each, @Nullable CaseResult<Context> result, long now) {
    CaseCommit commit;
    try {
      commit = TracedCommit.of(this, each, result, now);
    } catch (RuntimeException | Error e) {
      undoIfCallers(e);
      quarantine(each, e, now);
      return;
    }
    commit(each, commit, result);
  }

  static @Nullable CaseResult<Context> resultOf(LiveCase each) {
    return each.isAtRest() ? each.result() : null;
  }

  void commit(LiveCase each, CaseCommit commit, @Nullable CaseResult<Context> result) {
    options.watch().committed(each.id, commit.record().revision());
    batch.add(each, commit, result);
  }

  /// Puts a case aside as it was committed last, with what broke it.
  void quarantine(LiveCase each, Throwable thrown, long now) {
    ShardRestart.quarantine(this, each, thrown, now);
  }

  /// What the next batch publishes of a case.
  AfterCommit telling(String caseId) {
    return batch.of(caseId).telling;
  }

  /// Changes the store's table with the next batch, on behalf of a case.
  void write(String caseId, RowChange change) {
    batch.of(caseId).rows.add(change);
  }

  void submit() {
    Batch current = takeBatch();
    current.note(options.clock().millis());
    if (current.isEmpty()) {
      inFlight.tellAfterLast(current);
      return;
    }
    inFlight.submit(current);
  }

  /// Commits what still moves and waits until all is durable.
  void settle() throws InterruptedException {
    long now = options.clock().millis();
    for (LiveCase each : List.copyOf(moving)) {
      if (each.isDirty) {
        commitNow(each, now);
      }
    }
    submit();
    inFlight.awaitAll();
  }

  /// Commits a case wherever it is.
  void commitNow(LiveCase each, long now) {
    if (each.isDirty) {
      commit(each, resultOf(each), now);
    }
    batch.tell(each);
    each.published();
  }

  /// Answers all callers that wait. Called by the thread of the shard, or after it was left behind.
  void refuseEverybody() {
    StoreException failure = engine.failure();
    RuntimeException sentence =
        failure == null ? new IllegalStateException(Engine.CLOSED) : failure;
    publishing.refuse(sentence);
    inFlight.refuse(sentence);
    batch.refuse(sentence);
    for (LiveCase each : live.all()) {
      each.refusal(sentence).run();
    }
    taken.forEach(request -> request.refuse(sentence));
    for (Request left : inbox.drain()) {
      left.refuse(sentence);
    }
    publisher.refuse(sentence);
  }
}
