package dev.damask.nursery;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// A child and its thread. It ends when its code has returned, its cleanups have run and the
/// nurseries it owns have ended (N1). Fields are few and created late, to keep a parked child
/// small.
final class RunningChild<T extends @Nullable Object>
    implements Child<T>, Self, Runnable, CancelToken.Target {

  // Phases. An interrupt is delivered only between RUNNING and RUNNING, so that it reaches neither
  // a cleanup nor later code on the thread (N7).
  private static final int RUNNING = 0;
  private static final int INTERRUPTING = 1;
  private static final int CLEANING_UP = 2;

  // The result when there is no memory to create one.
  private static final ChildResult.Failed<?> NO_MEMORY =
      new ChildResult.Failed<>(new OutOfMemoryError("no memory for the result of a child"));

  private static final VarHandle PHASE;
  private static final VarHandle CANCELLED;
  private static final VarHandle END;
  private static final VarHandle THREAD;
  private static final VarHandle BEGUN;
  private static final VarHandle OVERDUE;

  static {
    try {
      var lookup = MethodHandles.lookup();
      PHASE = lookup.findVarHandle(RunningChild.class, "phase", int.class);
      CANCELLED = lookup.findVarHandle(RunningChild.class, "cancelled", CancelReason.class);
      END = lookup.findVarHandle(RunningChild.class, "end", Object.class);
      THREAD = lookup.findVarHandle(RunningChild.class, "thread", Thread.class);
      BEGUN = lookup.findVarHandle(RunningChild.class, "begunNanos", long.class);
      OVERDUE = lookup.findVarHandle(RunningChild.class, "isOverdue", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Nursery nursery;
  private final String name;
  // set by the spawner before the thread starts
  private ChildSet.@Nullable Entry entry;
  private @Nullable Budget ownBudget; // null: it shares the nursery's
  // set by the spawner, cleared by the child at its end; the snapshot reads it
  private volatile @Nullable Thread thread;
  // the child's own; dropped when it has run, so that a kept handle keeps nothing alive
  // In one of the three shapes that ChildCode knows.
  private @Nullable Object code;
  private boolean hasReturned;
  // When its code began, 0 before; written by the child, not the spawner, read by snapshots.
  private volatile long begunNanos;
  // written by the child or its spawner, read by any thread; null until first needed
  private volatile @Nullable CancelToken token;
  private volatile @Nullable Cleanups cleanups;
  // written by compare-and-set, read by any thread
  private volatile int phase; // RUNNING at first
  private volatile @Nullable CancelReason cancelled; // null until cancelled
  // null, then a gate if a thread waits, then the result: one field, so that neither can miss the
  // other; changed by compare-and-set until the child sets the result, read by any thread
  private volatile @Nullable Object end;
  // written by the canceller, read by the child at its end; null unless it was cancelled
  // individually
  private volatile @Nullable Future<?> graceTimer;
  // written by the grace timer, read by any thread
  private volatile boolean isOverdue;

  RunningChild(Nursery nursery, String name, Object code) {
    this.nursery = nursery;
    this.name = name;
    this.code = code;
  }

  /// Starts the thread. The nursery has already counted this child. The child is on the roster
  /// before it checks for a cancellation: either the canceller finds it there, or it finds the
  /// cancellation here (N6).
  void start(ChildOptions options, ChildSet roster, long running) {
    // First, so that the grant is returned if anything below fails.
    Amounts grant = options.grant();
    if (grant != null) {
      ownBudget = Budget.part(grant, nursery.budget());
    }
    ThreadKind chosen = options.threadKind();
    ThreadKind kind = chosen == null ? nursery.options().threadKind() : chosen;
    Thread fresh = kind.builder().name(name).unstarted(this);
    thread = fresh;
    var place = new ChildSet.Entry(this);
    entry = place;
    roster.add(place, running);
    Duration timeout = options.timeout();
    if (timeout != null) {
      tokenOf().cancelAfter(timeout);
    }
    CancelReason why = nursery.token().reasonOrNull();
    if (why != null) {
      TreeCancellation.of(this, why, false);
    }
    fresh.start();
  }

  /// Removes the child from the roster and returns its unspent budget.
  void vacate() {
    ChildSet.Entry place = entry;
    if (place != null) {
      place.empty();
      // A retained handle must not keep other children's entries alive.
      entry = null;
    }
    Budget own = ownBudget;
    if (own != null) {
      own.giveBack();
    }
    CancelToken ownToken = token;
    if (ownToken != null) {
      ownToken.retire();
    }
    stopGraceTimer();
  }

  @Override
  public void run() {
    try {
      BEGUN.setOpaque(this, System.nanoTime());
      FlightEvents.ChildEvent event = FlightEvents.ChildEvent.begun();
      Throwable thrown = null;
      Object value = null;
      CancelToken own = token;
      if (own != null) {
        own.expireIfDue();
      }
      // The code of a child that was cancelled before it began does not run.
      if (cancelled == null) {
        try {
          value = ChildCode.run(code, this);
          hasReturned = true;
        } catch (Throwable t) {
          thrown = t;
        }
      }
      end(value, thrown);
      FlightEvents.ChildEvent.ended(event, this, nursery);
    } catch (Throwable t) {
      endAnyway(t); // perhaps no memory for the result
    } finally {
      nursery.left(this);
    }
  }

  @SuppressWarnings("unchecked") // a failed result has no value
  private void endAnyway(Throwable thrown) {
    try {
      nursery.failed(name, thrown);
      settle(new ChildResult.Failed<>(thrown));
    } finally {
      if (result() == null) {
        settle((ChildResult<T>) NO_MEMORY);
      }
    }
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // value is a T if hasReturned is true
  private void end(@Nullable Object value, @Nullable Throwable thrown) {
    holdOffInterrupts();
    code = null;
    CancelReason why = cancelled;
    Throwable error = null;
    if (thrown != null) {
      for (Throwable each : why == null ? List.of(thrown) : Stopping.errorsIn(thrown)) {
        error = failed(error, each);
      }
    }
    error = cleanUp(error);
    if (error != null) {
      settle(new ChildResult.Failed<>(error));
    } else if (hasReturned || why == null) {
      settle(new ChildResult.Done<>((T) value));
    } else {
      nursery.stopped(name, why);
      settle(new ChildResult.Cancelled<>(why));
    }
  }

  private void settle(ChildResult<T> outcome) {
    THREAD.setRelease(this, null);
    if (END.getAndSet(this, outcome) instanceof CountDownLatch waiting) {
      waiting.countDown();
    }
  }

  private @Nullable Throwable cleanUp(@Nullable Throwable error) {
    Cleanups actions = cleanups;
    if (actions == null) {
      return error;
    }
    Throwable[] first = {error};
    actions.runAll(thrown -> first[0] = failed(first[0], thrown));
    return first[0];
  }

  /// Records each error with the nursery. The child's result holds the first one, with the others
  /// attached where that is possible.
  private Throwable failed(@Nullable Throwable first, Throwable thrown) {
    nursery.failed(name, thrown);
    if (first == null) {
      return thrown;
    }
    var _ = Errors.attach(first, thrown);
    return first;
  }

  @SuppressWarnings("ThreadPriorityCheck") // correct without the yield, only slower
  private void holdOffInterrupts() {
    while (!PHASE.compareAndSet(this, RUNNING, CLEANING_UP)) {
      // Another thread is between setting INTERRUPTING and RUNNING: a few instructions.
      Thread.yield();
    }
    Thread.interrupted();
  }

  /// Sets the reason. Returns false if there is one. The rest follows after everything below has
  /// its reason.
  boolean mark(CancelReason why, TreeCancellation work) {
    if (!CANCELLED.compareAndSet(this, null, why)) {
      return false;
    }
    work.interrupt(this);
    CancelToken seen = token;
    if (seen != null) {
      work.add(seen, why);
    }
    return true;
  }

  @Override
  public CancelReason begin(CancelReason why, TreeCancellation work) {
    var before = (@Nullable CancelReason) CANCELLED.compareAndExchange(this, null, why);
    if (before == null) {
      work.interrupt(this);
      work.grace(this::watchGrace);
    }
    return before == null ? why : before;
  }

  /// Begins the grace period of a child that was cancelled individually.
  void watchGrace() {
    graceTimer = GracePeriodMonitor.watch(nursery, this);
    if (result() != null) {
      stopGraceTimer();
    }
  }

  private void stopGraceTimer() {
    Future<?> timer = graceTimer;
    if (timer != null) {
      timer.cancel(false);
      graceTimer = null;
    }
  }

  void interrupt() {
    Thread target = thread;
    if (target != null && PHASE.compareAndSet(this, RUNNING, INTERRUPTING)) {
      target.interrupt();
      phase = RUNNING;
    }
  }

  // Child: methods for other code.

  @Override
  public String name() {
    return name;
  }

  @Override
  public ChildState state() {
    if (result() != null) {
      return ChildState.ENDED;
    }
    if (isOverdue) {
      return ChildState.OVERDUE;
    }
    if (phase == CLEANING_UP) {
      return ChildState.CLEANING_UP;
    }
    return cancelled == null ? ChildState.RUNNING : ChildState.CANCELLING;
  }

  @Override
  public Optional<ChildResult<T>> tryResult() {
    return Optional.ofNullable(result());
  }

  @Override
  public ChildResult<T> await() throws InterruptedException {
    ChildResult<T> seen = result();
    if (seen == null) {
      if (Thread.currentThread().equals(thread)) {
        throw new IllegalStateException("child " + name + " must not wait for itself");
      }
      seen = awaitEnd();
    }
    return seen;
  }

  private ChildResult<T> awaitEnd() throws InterruptedException {
    var fresh = new CountDownLatch(1);
    Object seen = END.compareAndExchange(this, null, fresh);
    if (seen == null) {
      fresh.await();
    } else if (seen instanceof CountDownLatch gate) {
      gate.await();
    }
    ChildResult<T> how = result();
    if (how == null) {
      throw new IllegalStateException("child " + name + ": expected ENDED, found " + state());
    }
    return how;
  }

  @SuppressWarnings("unchecked") // only this child sets its result
  private @Nullable ChildResult<T> result() {
    return end instanceof ChildResult<?> how ? (ChildResult<T>) how : null;
  }

  @Override
  public T value() {
    return switch (result()) {
      case null ->
          throw new IllegalStateException("child " + name + " is " + state() + "; await it first");
      case ChildResult.Done<T>(T value) -> value;
      case ChildResult.Failed<T>(var error) ->
          throw new IllegalStateException("child " + name + " has no value: it failed", error);
      case ChildResult.Cancelled<T>(var reason) -> throw new NurseryCancelled(name, reason);
    };
  }

  @Override
  public boolean cancel(CancelReason reason) {
    Objects.requireNonNull(reason, "reason");
    return result() == null && TreeCancellation.of(this, reason, true);
  }

  // Self: methods for the child's own code.

  @Override
  public boolean isCancelled() {
    return cancelled != null;
  }

  @Override
  public void checkCancelled() {
    CancelReason why = cancelled;
    if (why != null && phase != CLEANING_UP) {
      throw new NurseryCancelled(name, why);
    }
  }

  @Override
  @SuppressWarnings("ThreadPriorityCheck") // a virtual thread that does not yield keeps its carrier
  public void yieldPoint() throws InterruptedException {
    checkCancelled();
    if (phase != CLEANING_UP) {
      spend(Amounts.ONE_OPERATION);
    }
    Thread.yield();
  }

  @Override
  public void spend(Amounts cost) throws InterruptedException {
    if (phase == CLEANING_UP) {
      if (!budget().tryTake(cost)) {
        throw new IllegalStateException(
            "cleanup of %s needs %s, the budget has %s".formatted(name, cost, budget().left()));
      }
      return;
    }
    try {
      budget().take(cost, this::checkCancelled);
    } catch (InterruptedException e) {
      if (isCancelled()) {
        Thread.currentThread().interrupt();
        checkCancelled();
      }
      throw e;
    }
  }

  @Override
  public Budget budget() {
    Budget own = ownBudget;
    return own == null ? nursery.budget() : own;
  }

  @Override
  public CancelToken cancelToken() {
    requireOwnThread();
    return tokenOf();
  }

  @Override
  public void deferred(Cleanup cleanup) {
    cleanupsOf().add(name, cleanup);
  }

  @Override
  public Nursery open(NurseryOptions options) {
    Cleanups row = cleanupsOf();
    var inner = Nursery.nested(Objects.requireNonNull(options, "options"), this);
    boolean isOwned = false;
    try {
      row.add(name, new OwnedNursery(inner, this));
      isOwned = true;
    } finally {
      if (!isOwned) {
        inner.seal(); // it ends, and returns its grant
      }
    }
    inner.token().follow(tokenOf());
    inner.startDeadline();
    return inner;
  }

  // Methods for the nursery.

  Nursery nursery() {
    return nursery;
  }

  boolean hasReturned() {
    return hasReturned;
  }

  /// Removes a nursery that has ended.
  void disown(Nursery ended) {
    Cleanups row = cleanups;
    if (row != null) {
      row.remove(new OwnedNursery(ended, this));
    }
  }

  List<Nursery> nurseries() {
    Cleanups row = cleanups;
    return row == null ? List.of() : row.nurseries();
  }

  @Nullable Thread thread() {
    return thread;
  }

  long ageNanos() {
    long begun = begunNanos;
    return begun == 0 ? 0 : System.nanoTime() - begun;
  }

  /// Marks the child as overdue. Returns false if it has ended or was marked before.
  boolean markOverdue() {
    return result() == null && OVERDUE.compareAndSet(this, false, true);
  }

  private CancelToken tokenOf() {
    CancelToken seen = token;
    if (seen == null) {
      seen = CancelToken.below(nursery.token(), this);
      token = seen;
      CancelReason why = cancelled;
      if (why != null) {
        seen.cancel(why);
      }
    }
    return seen;
  }

  private Cleanups cleanupsOf() {
    requireOwnThread();
    Cleanups seen = cleanups;
    if (seen == null) {
      seen = new Cleanups();
      cleanups = seen;
    }
    return seen;
  }

  private void requireOwnThread() {
    if (!Thread.currentThread().equals(thread)) {
      throw new IllegalStateException("child " + name + ": call this on the child's own thread");
    }
  }
}
