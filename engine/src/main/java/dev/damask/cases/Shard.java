package dev.damask.cases;

import dev.damask.effect.Effects;
import dev.damask.exec.StateCodec;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.DamagedCase;
import dev.damask.store.Store;
import dev.damask.store.StoreFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
/// dropped, and it is put aside with the evidence. A case that cannot be read is put aside as well.
/// An error of the store stops the engine: callers that wait hear of it, and nothing is
/// acknowledged any more. A case that takes the whole process along leaves its name behind
/// ([Store#moving]) and is put aside when it has done so too often.
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

  private final int number;
  final Engine engine;
  final EngineOptions options;
  final Store store;
  final Outlet outlet;
  final CaseRunner runner;
  private final Reception reception = new Reception(this);
  final Inbox inbox;

  // Everything below belongs to the shard's thread.
  final Residents live;
  final Set<LiveCase> moving = new LinkedHashSet<>();
  final DueCases timers;
  final Machines machines;
  private final ArrayDeque<Batch> inFlight = new ArrayDeque<>();
  final ArrayDeque<String> toResume = new ArrayDeque<>();
  private final ArrayDeque<String> suspects = new ArrayDeque<>();
  private final List<Request> taken = new ArrayList<>();
  private Batch batch = new Batch();
  private boolean isBlaming;
  private volatile boolean isStopping; // written by the closer

  Shard(int number, Engine engine, EngineOptions options, Store store, Effects effects) {
    this.number = number;
    this.engine = engine;
    this.options = options;
    this.store = store;
    this.outlet = new Outlet(options, effects, engine.counters);
    this.inbox = new Inbox(options.inboxMax(), options.refuseWhenFull());
    this.machines = new Machines(options);
    this.runner = new CaseRunner(options, store, machines);
    this.live = new Residents(store, engine.programs, machines, options.residentMax());
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
    return live.size();
  }

  void round() throws InterruptedException {
    boolean isFull = isFull();
    round(isFull, waitNanos(isFull));
  }

  /// A round that does not wait; false when there was nothing to do.
  boolean turn() throws InterruptedException {
    releaseDurable();
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

  /// The bytes of a case that has nothing to commit; empty while it has, or is not in memory.
  Optional<byte[]> restingState(String caseId) {
    LiveCase found = live.get(caseId);
    return found != null && found.isDurable()
        ? Optional.of(StateCodec.encode(found.state))
        : Optional.empty();
  }

  private void round(boolean isFull, long waitNanos) throws InterruptedException {
    if (!suspects.isEmpty()) {
      blame(options.clock().millis());
      submit();
      return;
    }
    taken.clear();
    inbox.take(taken, isFull ? 0 : REQUESTS_PER_ROUND, waitNanos);
    releaseDurable();
    if (isFull) {
      return;
    }
    long now = options.clock().millis();
    fireTimers(now);
    for (int i = 0; i < RESUMED_PER_ROUND && !toResume.isEmpty(); i++) {
      findUnlessDamaged(toResume.removeFirst(), now);
    }
    taken.forEach(request -> reception.accept(request, now));
    for (LiveCase each : List.copyOf(moving)) {
      move(each, now);
    }
    submit();
    live.evict();
  }

  private boolean isFull() {
    isBlaming &= !inFlight.isEmpty();
    return isBlaming || inFlight.size() >= IN_FLIGHT_MAX;
  }

  /// Writes down who was at work when the process died. Until that is durable nothing moves that
  /// could kill the process again.
  private void blame(long now) {
    isBlaming = true;
    while (!suspects.isEmpty()) {
      String caseId = suspects.removeFirst();
      try {
        LiveCase found = live.read(caseId);
        if (found == null || found.isQuarantined || found.state.isDone()) {
          live.remove(caseId);
          continue;
        }
        CaseRecord before = Objects.requireNonNull(found.record);
        int crashes = found.terms.crashes() + 1;
        found.terms = found.terms.withCrashes(crashes);
        found.isQuarantined = crashes >= options.crashesMax();
        String evidence =
            found.isQuarantined ? "the process died " + crashes + " times while it moved" : "";
        long due = found.isQuarantined ? CaseRecord.NEVER : before.dueMillis();
        CaseCommit commit = found.commit(store.epoch(), now, due, evidence, before.state());
        commit(found, commit, resultOf(found));
        live.remove(caseId); // it comes back when its new revision is durable
        toResume.add(caseId);
      } catch (DamagedCase e) {
        warn(e);
      }
    }
  }

  private static void warn(RuntimeException e) {
    System.getLogger(Engine.class.getName()).log(System.Logger.Level.WARNING, e.getMessage());
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
    for (int i = 0; i < TIMERS_PER_ROUND; i++) {
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
    return batch.removals.contains(caseId)
        || inFlight.stream().anyMatch(each -> each.removals.contains(caseId));
  }

  /// Answers behind the last batch under way, because what was seen may be in it.
  <T> void reply(CompletableFuture<T> future, T value) {
    batch.telling.acks.add(new Telling.Ack<>(future, value));
  }

  /// As [#find]; a case that cannot be read is left where it is.
  private @Nullable LiveCase findUnlessDamaged(String caseId, long now) {
    try {
      return find(caseId, now);
    } catch (DamagedCase e) {
      warn(e);
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
    LiveCase loaded = live.read(caseId);
    if (loaded != null && !loaded.isQuarantined) {
      runner.resume(loaded, now);
      if (!loaded.isAtRest() || !loaded.queue.isEmpty() || !loaded.telling.isSilent()) {
        moving.add(loaded);
      }
    }
    return loaded;
  }

  private void move(LiveCase each, long now) {
    machines.trace(each.trace);
    store.moving(number, each.id);
    CaseResult result = null;
    try {
      engine.counters.steps.add(runner.move(each, TURNS_PER_ROUND, now));
      result = resultOf(each);
    } catch (RuntimeException | Error e) { // whatever it is, it ends this case and no other
      if (e instanceof StoreFailure && !(e instanceof DamagedCase)) {
        throw e;
      }
      quarantine(each, e, now);
    } finally {
      machines.trace(null);
      store.moving(number, "");
    }
    if (each.isAtRest() && each.queue.isEmpty()) {
      moving.remove(each);
    }
    if (each.isDirty && (each.isAtRest() || !each.telling.isSilent() || isStopping)) {
      commit(each, each.commit(store.epoch(), now), result);
    }
    if (!each.isDirty) {
      batch.telling.append(each.telling);
      each.telling.clear();
    }
  }

  private static @Nullable CaseResult resultOf(LiveCase each) {
    return each.isAtRest() ? each.result() : null;
  }

  private void commit(LiveCase each, CaseCommit commit, @Nullable CaseResult result) {
    options.watch().committed(each.id, commit.record().revision());
    batch.commits.add(commit);
    batch.cases.add(each);
    if (result != null) {
      each.telling.ends.add(new Telling.End(each.id, result));
    }
  }

  /// Puts a case aside as it was committed last, with what broke it.
  private void quarantine(LiveCase each, Throwable thrown, long now) {
    String evidence = Views.evidence(thrown);
    IllegalStateException sentence =
        new IllegalStateException("case " + each.id + " was quarantined: " + thrown, thrown);
    each.telling.acks.forEach(ack -> ack.future().completeExceptionally(sentence));
    each.queue.forEach(deed -> deed.refuse(sentence));
    each.queue.clear();
    each.telling.clear();
    each.forget();
    options.watch().dropped(each.id);
    CaseRecord before = each.record;
    if (before == null) {
      // It broke before it was ever committed, so nobody was told that it exists.
      live.remove(each.id);
      outlet.refuse(each.id, sentence);
      each.isQuarantined = true;
      return;
    }
    each.restore(live.load(before, each.state.program()));
    each.isQuarantined = true;
    CaseCommit commit = each.commit(store.epoch(), now, CaseRecord.NEVER, evidence, before.state());
    commit(each, commit, resultOf(each));
  }

  private void submit() {
    Batch current = batch;
    batch = new Batch();
    if (current.commits.isEmpty() && current.removals.isEmpty()) {
      Batch last = inFlight.peekLast();
      if (last != null) {
        last.telling.append(current.telling);
      } else {
        outlet.release(current);
      }
      return;
    }
    current.submittedNanos = System.nanoTime();
    current.flight = new Flight.Commit();
    current.flight.begin();
    current.durable = store.commit(new CommitBatch(current.commits, List.of(), current.removals));
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
      for (CaseCommit commit : done.commits) {
        timers.set(commit.record().caseId(), commit.record().dueMillis());
      }
      outlet.release(done);
      done.cases.forEach(live::releaseEnded);
    }
  }

  /// Commits what still moves and waits until all is durable.
  private void settle() throws InterruptedException {
    long now = options.clock().millis();
    for (LiveCase each : List.copyOf(moving)) {
      if (each.isDirty) {
        commit(each, each.commit(store.epoch(), now), resultOf(each));
        batch.telling.append(each.telling);
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
        each -> each.telling.acks.forEach(ack -> ack.future().completeExceptionally(sentence)));
    batch.telling.acks.forEach(ack -> ack.future().completeExceptionally(sentence));
    for (LiveCase each : live.all()) {
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
