package dev.damask.cases;

import dev.damask.effect.Effects;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
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
/// dropped, and it is quarantined with the evidence. The same holds for a case that cannot be
/// encoded; one that cannot be read is left as it is. Anything else that breaks a round restarts
/// the shard from the store and quarantines the case at work (ADR 0015). An error of the store
/// stops the engine: callers that wait hear of it, and nothing is acknowledged any more. A case
/// that takes the whole process along leaves its name behind ([Store#moving]) and is put aside when
/// it has done so too often.
///
/// ## Memory
///
/// A case that rests and is durable may leave memory; the store has all of it. Of the timers only
/// the next ones are here ([DueCases]).
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
  final CommitPublisher outlet;
  final CaseRunner runner;
  final Resumption resumption;
  private final RequestHandler reception = new RequestHandler(this);
  final Inbox inbox;

  // Everything below belongs to the shard's thread.
  final CaseCache live;
  final Set<LiveCase> moving = new LinkedHashSet<>();
  final DueCases timers;
  final Machines machines;
  private final BatchesInFlight inFlight = new BatchesInFlight(this);
  final ArrayDeque<String> toResume = new ArrayDeque<>();
  private final ArrayDeque<String> suspects = new ArrayDeque<>();
  private final List<Request> taken = new ArrayList<>();
  private Batch batch = new Batch();
  private boolean isBlaming;
  private String current = ""; // the case at work, should something break
  private final ShardRestart restart = new ShardRestart(this);
  final ShardActivity activity = new ShardActivity();
  private volatile CountDownLatch ended = new CountDownLatch(0); // written before the start
  private volatile boolean isStopping; // written by the closer
  private volatile boolean isLate; // written by the closer: user code has had its time

  Shard(int number, Engine engine, EngineOptions options, Store store, Effects effects) {
    this.number = number;
    this.engine = engine;
    this.options = options;
    this.store = store;
    this.outlet = new CommitPublisher(options, effects, engine);
    this.inbox = new Inbox(options.inboxMax(), options.refuseWhenFull());
    this.machines = new Machines(options);
    this.runner = new CaseRunner(options, store, machines);
    this.resumption = new Resumption(runner);
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

  /// Before the thread starts: there is an end to wait for.
  void launching() {
    ended = new CountDownLatch(1);
  }

  /// Lives until it is stopped and everything it has is durable.
  void run() throws InterruptedException {
    options.clock().onJump(inbox::wake);
    try {
      work();
    } catch (ShardActivity.LeftBehind e) {
      // The closer has named it and has answered the callers.
    } finally {
      ended.countDown();
    }
  }

  private void work() throws InterruptedException {
    try {
      while (!isStopping || (inbox.size() > 0 && !isLate) || !inFlight.isEmpty()) {
        safeRound();
      }
      settle();
    } catch (StoreException e) {
      engine.fail(e);
    } catch (ShardActivity.LeftBehind e) {
      throw e;
    } catch (RuntimeException | Error e) {
      engine.fail(new StoreException("a shard broke: " + e, e));
      throw e;
    } finally {
      inbox.close();
      activity.begin(null);
      refuseEverybody();
      activity.end();
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

  /// Moves no case any more; what was moved is committed.
  void hurry() {
    isLate = true;
    inbox.wake();
  }

  /// False if the shard has not ended within a time.
  boolean awaitEnd(Duration time) throws InterruptedException {
    return ended.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /// Leaves the thread behind and returns what it does; null if it is not in user code. What the
  /// shard has not handed to the store is lost, as if the process had died.
  @Nullable String leaveBehind() {
    return activity.leaveBehind(number);
  }

  int resident() {
    return live.size();
  }

  /// A round; what breaks it outside of a move restarts the shard, and the engine goes on.
  private void safeRound() throws InterruptedException {
    try {
      restart.begin();
      round();
    } catch (StoreException | ShardActivity.LeftBehind e) {
      throw e;
    } catch (OutOfMemoryError e) {
      throw ShardRestart.outOfMemory(number, current, e);
    } catch (RuntimeException | Error e) {
      restart.plan(current, e);
      current = "";
    }
  }

  /// Forgets what was not handed to the store, tells those who wait for it, and waits for the rest.
  void forget(RuntimeException sentence) throws InterruptedException {
    activity.begin(null);
    try {
      batch.telling.refuse(sentence);
      batch = new Batch();
      live.all().forEach(each -> each.refuse(sentence));
      taken.forEach(request -> request.refuse(sentence));
    } finally {
      activity.end();
    }
    inFlight.awaitAll(); // a case must not be read before its last revision is there
    live.clear();
    moving.clear();
    toResume.clear();
  }

  void round() throws InterruptedException {
    boolean isFull = isFull();
    round(isFull, waitNanos(isFull));
  }

  /// A round that does not wait; false when there was nothing to do.
  boolean turn() throws InterruptedException {
    inFlight.releaseDurable();
    boolean hasWork =
        !moving.isEmpty()
            || !suspects.isEmpty()
            || !toResume.isEmpty()
            || inbox.size() > 0
            || timers.next() <= options.clock().millis();
    if (isFull() || !hasWork) {
      return false;
    }
    round(false, 0);
    return true;
  }

  /// When the next timer is due.
  long nextDue() {
    return timers.next();
  }

  private void round(boolean isFull, long waitNanos) throws InterruptedException {
    if (!suspects.isEmpty()) {
      isBlaming = true;
      suspects.forEach(each -> restart.blame(each, options.clock().millis()));
      suspects.clear();
      submit();
      return;
    }
    taken.clear();
    inbox.take(taken, isFull ? 0 : REQUESTS_PER_ROUND, waitNanos);
    inFlight.releaseDurable();
    if (isFull) {
      return;
    }
    activity.begin(null);
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
    for (Request request : taken) {
      current = request.caseId();
      reception.accept(request, now);
    }
    for (LiveCase each : List.copyOf(moving)) {
      if (!isLate) {
        move(each, now);
      }
    }
    current = "";
  }

  private boolean isFull() {
    isBlaming &= !inFlight.isEmpty();
    return isBlaming || inFlight.size() >= IN_FLIGHT_MAX;
  }

  private long waitNanos(boolean isFull) {
    if (isFull) {
      return Long.MAX_VALUE;
    }
    if (!moving.isEmpty() || !toResume.isEmpty() || !suspects.isEmpty()) {
      return 0;
    }
    long next = timers.next();
    return next == CaseRecord.NEVER ? Long.MAX_VALUE : options.clock().nanosUntil(next);
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
    batch.removals.add(caseId);
  }

  boolean isRemoving(String caseId) {
    return batch.removals.contains(caseId) || inFlight.isRemoving(caseId);
  }

  /// Answers behind the last batch under way, because what was seen may be in it.
  <T> void reply(CompletableFuture<T> future, T value) {
    batch.telling.acks.add(new AfterCommit.Ack<>(future, value));
  }

  /// As [#find]; a case that cannot be read is left where it is.
  private @Nullable LiveCase findUnlessDamaged(String caseId, long now) {
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
    if (isRemoving(caseId)) {
      return null;
    }
    current = caseId;
    LiveCase loaded = live.read(caseId);
    engine.corrupt.remove(caseId);
    if (loaded != null && !loaded.isQuarantined) {
      resumption.resume(loaded, now);
      if (!loaded.isAtRest() || !loaded.queue.isEmpty() || !loaded.telling.isSilent()) {
        moving.add(loaded);
      }
    }
    return loaded;
  }

  private void move(LiveCase each, long now) {
    current = each.id;
    machines.trace(each.trace);
    activity.begin(each); // first: a shard that was left behind must not reach the store
    store.moving(number, each.id);
    CaseResult result = null;
    try {
      engine.counters.steps.add(runner.move(each, TURNS_PER_ROUND, now));
      result = resultOf(each);
    } catch (RuntimeException | Error e) { // whatever it is, it ends this case and no other
      if (e instanceof StoreException && !(e instanceof CorruptCaseException)) {
        throw e;
      }
      quarantine(each, e, now);
    } finally {
      engine.counters.moving.record(activity.end());
      machines.trace(null);
      store.moving(number, "");
    }
    if (each.isAtRest() && each.queue.isEmpty()) {
      moving.remove(each);
    }
    each.isTraceFull = each.trace.size() >= options.traceEventsMax();
    if (each.isDirty
        && (each.isAtRest() || !each.telling.isSilent() || isStopping || each.isTraceFull)) {
      commit(each, result, now);
    }
    if (!each.isDirty) {
      batch.telling.append(each.telling, each.revision());
      each.telling.clear();
    }
  }

  /// A state that cannot be written concerns its case alone.
  private void commit(LiveCase each, @Nullable CaseResult result, long now) {
    CaseCommit commit;
    try {
      options.watch().traced(each.id, each.trace);
      commit = each.commit(store.epoch(), now);
    } catch (RuntimeException | Error e) {
      quarantine(each, e, now);
      return;
    }
    commit(each, commit, result);
  }

  static @Nullable CaseResult resultOf(LiveCase each) {
    return each.isAtRest() ? each.result() : null;
  }

  void commit(LiveCase each, CaseCommit commit, @Nullable CaseResult result) {
    options.watch().committed(each.id, commit.record().revision());
    batch.commits.add(commit);
    batch.cases.add(each);
    if (result != null) {
      each.telling.ends.add(new AfterCommit.End(each.id, result));
    }
  }

  /// Puts a case aside as it was committed last, with what broke it.
  void quarantine(LiveCase each, Throwable thrown, long now) {
    String evidence = Views.evidence(thrown);
    IllegalStateException sentence =
        new IllegalStateException("case " + each.id + " was quarantined: " + thrown, thrown);
    each.refuse(sentence);
    each.queue.clear();
    each.telling.clear();
    options.watch().dropped(each.id);
    CaseRecord before = each.record;
    if (before == null) {
      // It broke before it was ever committed, so nobody was told that it exists.
      each.forget();
      live.remove(each.id);
      outlet.refuse(each.id, sentence);
      each.isQuarantined = true;
      return;
    }
    each.restore(live.lastSubmitted(each));
    if (each.state.isDone()) {
      return; // it has ended, and its end was told
    }
    each.isQuarantined = true;
    CaseCommit commit = each.commit(store.epoch(), now, CaseRecord.NEVER, evidence, true);
    commit(each, commit, resultOf(each));
  }

  void submit() {
    Batch current = batch;
    batch = new Batch();
    if (current.commits.isEmpty() && current.removals.isEmpty()) {
      inFlight.tellAfterLast(current);
      return;
    }
    inFlight.submit(current);
  }

  /// Commits what still moves and waits until all is durable.
  private void settle() throws InterruptedException {
    long now = options.clock().millis();
    for (LiveCase each : List.copyOf(moving)) {
      if (each.isDirty) {
        commit(each, resultOf(each), now);
        batch.telling.append(each.telling, each.revision());
      }
    }
    submit();
    inFlight.awaitAll();
  }

  /// Answers all callers that wait. Called by the thread of the shard, or after it was left behind.
  void refuseEverybody() {
    StoreException failure = engine.failure();
    RuntimeException sentence =
        failure == null ? new IllegalStateException(Engine.CLOSED) : failure;
    inFlight.refuse(sentence);
    batch.telling.refuse(sentence);
    for (LiveCase each : live.all()) {
      each.refuse(sentence);
    }
    taken.forEach(request -> request.refuse(sentence));
    for (Request left : inbox.drain()) {
      left.refuse(sentence);
    }
    outlet.refuse(sentence);
  }
}
