package dev.damask.nursery;

import java.io.InterruptedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// A child and its thread. It ends when its code has returned, its cleanups have run and the
/// nurseries it owns have ended, never before (N1).
///
/// Fields are few and created late: a parked child costs little more than its thread.
final class RunningChild<T extends @Nullable Object> implements Child<T>, Self, Runnable {

  // Phases. An interrupt is delivered only between RUNNING and RUNNING, so that it can hit neither
  // a cleanup nor what the thread does afterwards (N7).
  private static final int RUNNING = 0;
  private static final int INTERRUPTING = 1;
  private static final int CLEANING_UP = 2;

  private static final int CAUSES_MAX = 32;

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
  private Roster.@Nullable Entry entry;
  private @Nullable Budget ownBudget; // null: it shares the nursery's
  // set by the spawner, cleared by the child at its end; the snapshot reads it
  private volatile @Nullable Thread thread;
  // the child's own; dropped when it has run, so that a kept handle keeps nothing alive
  // A ChildBody, a ChildAction or a Callable as the user gave it: wrapping two of them into the
  // third would cost every parked child an object and a stack frame, 32 of 784 bytes measured.
  private @Nullable Object code;
  private boolean hasReturned;
  // When its code began, 0 before; written by the child, read by snapshots. The spawner, which is
  // what many children wait for, is spared the look at the clock.
  private volatile long begunNanos;
  // written by the child or its spawner, read by any thread; null until first needed
  private volatile @Nullable CancelToken token;
  private volatile @Nullable Cleanups cleanups;
  // written by compare-and-set, read by any thread
  private volatile int phase; // RUNNING at first
  private volatile @Nullable CancelReason cancelled; // null until told to stop
  // null, then a gate if somebody waits, then the result: one field, so that neither can miss the
  // other; changed by compare-and-set until the child sets the result, read by any thread
  private volatile @Nullable Object end;
  // written by the grace timer, read by any thread
  private volatile boolean isOverdue;

  RunningChild(Nursery nursery, String name, Object code) {
    this.nursery = nursery;
    this.name = name;
    this.code = code;
  }

  /// Starts the thread, in a nursery that has counted this child already. It is on the roster
  /// before it looks for a cancellation: either the canceller sees it there, or it sees the
  /// cancellation here (N6).
  void start(ChildOptions options, Roster roster, long running) {
    // First of all: whatever fails below, the grant finds its way back.
    Amounts grant = options.grant();
    if (grant != null) {
      ownBudget = Budget.part(grant, nursery.budget());
    }
    ThreadKind chosen = options.threadKind();
    ThreadKind kind = chosen == null ? nursery.options().threadKind() : chosen;
    Thread fresh =
        switch (kind) {
          case VIRTUAL -> Thread.ofVirtual().name(name).unstarted(this);
          case PLATFORM -> Thread.ofPlatform().name(name).daemon(false).unstarted(this);
        };
    thread = fresh;
    var place = new Roster.Entry(this);
    entry = place;
    roster.add(place, running);
    Duration timeout = options.timeout();
    if (timeout != null) {
      tokenOf().cancelAfter(timeout);
    }
    CancelReason why = nursery.token().reasonOrNull();
    if (why != null) {
      deliver(why);
    }
    fresh.start();
  }

  /// Takes the child off the roster and returns what it did not spend.
  void vacate() {
    Roster.Entry place = entry;
    if (place != null) {
      place.empty();
      // A kept handle must not hold on to the places of others.
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
  }

  @Override
  public void run() {
    BEGUN.setOpaque(this, System.nanoTime());
    ChildEvent event = ChildEvent.begun();
    Throwable thrown = null;
    Object value = null;
    // Told to stop before it began: then it does not begin.
    if (cancelled == null) {
      try {
        if (code instanceof ChildBody<?> body) {
          value = body.run(this);
        } else if (code instanceof ChildAction action) {
          action.run(this);
        } else if (code instanceof Callable<?> callable) {
          value = callable.call();
        }
        hasReturned = true;
      } catch (Throwable t) {
        thrown = t;
      }
    }
    try {
      end(value, thrown);
      ChildEvent.ended(event, this, nursery);
    } catch (Throwable t) {
      // No memory left for the result, perhaps. The child has ended all the same.
      nursery.failed(name, t);
      settle(new ChildResult.Failed<>(t));
    } finally {
      nursery.left(this);
    }
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // value is a T whenever hasReturned says so
  private void end(@Nullable Object value, @Nullable Throwable thrown) {
    holdOffInterrupts();
    code = null;
    CancelReason why = cancelled;
    Throwable error = thrown == null || (why != null && isStopping(thrown)) ? null : thrown;
    if (error != null) {
      nursery.failed(name, error);
    }
    error = cleanUp(error);
    if (error != null) {
      settle(new ChildResult.Failed<>(error));
    } else if (hasReturned || why == null) {
      settle(new ChildResult.Done<>((T) value));
    } else {
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
    actions.runAll(thrown -> {
      if (first[0] == null) {
        nursery.failed(name, thrown);
      }
      first[0] = Errors.joined(first[0], thrown);
    });
    return first[0];
  }

  @SuppressWarnings("ThreadPriorityCheck") // correct without the yield, only slower
  private void holdOffInterrupts() {
    while (!PHASE.compareAndSet(this, RUNNING, CLEANING_UP)) {
      // Somebody is between setting INTERRUPTING and RUNNING: a few instructions.
      Thread.yield();
    }
    Thread.interrupted();
  }

  /// Tells the child to stop; false if it was told before. The reason is set before the interrupt,
  /// here and in all that hangs on the token, so that code woken by it finds the reason.
  boolean deliver(CancelReason why) {
    if (!CANCELLED.compareAndSet(this, null, why)) {
      return false;
    }
    try {
      CancelToken seen = token;
      if (seen != null) {
        seen.cancel(why);
      }
    } finally {
      interrupt();
    }
    return true;
  }

  private void interrupt() {
    Thread target = thread;
    if (target != null && PHASE.compareAndSet(this, RUNNING, INTERRUPTING)) {
      target.interrupt();
      phase = RUNNING;
    }
  }

  /// Whether what a cancelled child threw only says that it stopped. Code that was interrupted
  /// often wraps the interruption, so the causes count as well.
  private static boolean isStopping(Throwable thrown) {
    Throwable cause = thrown;
    for (int i = 0; cause != null && i < CAUSES_MAX; i++) {
      if (cause instanceof InterruptedException
          || cause instanceof CancellationException
          || cause instanceof ClosedByInterruptException
          || (cause instanceof InterruptedIOException
              && !(cause instanceof SocketTimeoutException))) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  // As others see it.

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
        throw new IllegalStateException("child " + name + " would wait for itself");
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
      throw new IllegalStateException("expected " + name + " to have ended, found " + state());
    }
    return how;
  }

  @SuppressWarnings("unchecked") // what is set as a result is one of this child
  private @Nullable ChildResult<T> result() {
    return end instanceof ChildResult<?> how ? (ChildResult<T>) how : null;
  }

  @Override
  public T value() {
    return switch (result()) {
      case null ->
          throw new IllegalStateException("expected " + name + " to have ended, found " + state());
      case ChildResult.Done<T>(T value) -> value;
      case ChildResult.Failed<T>(var error) ->
          throw new IllegalStateException("expected a value of " + name + ", but it failed", error);
      case ChildResult.Cancelled<T>(var reason) -> throw new NurseryCancelled(name, reason);
    };
  }

  @Override
  public boolean cancel(CancelReason reason) {
    if (result() != null || !deliver(reason)) {
      return false;
    }
    Overdue.watch(nursery, this);
    return true;
  }

  // As its own code sees it.

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
        throw new IllegalStateException("expected " + cost + " left, found " + budget().left());
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
    var inner = Nursery.nested(options, this);
    row.add(name, new OwnedNursery(inner, this));
    inner.follow(tokenOf());
    return inner;
  }

  // As its nursery sees it.

  Nursery nursery() {
    return nursery;
  }

  boolean hasReturned() {
    return hasReturned;
  }

  /// Forgets a nursery that has ended.
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

  /// Marks it as one that did not stop in time; false if it has ended or was marked before.
  boolean markOverdue() {
    return result() == null && OVERDUE.compareAndSet(this, false, true);
  }

  private CancelToken tokenOf() {
    CancelToken seen = token;
    if (seen == null) {
      seen = CancelToken.below(nursery.token(), this::cancel);
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
      throw new IllegalStateException("only the code of child " + name + " may do this");
    }
  }
}
