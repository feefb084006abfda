package dev.damask.nursery;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A scope for concurrent work. Each child runs on its own thread, and the nursery does not end
/// until all its children have ended.
///
/// ```java
/// try (var nursery = Nursery.open("order")) {
///   var price = nursery.spawn("price", () -> prices.of(item));
///   var stock = nursery.spawn("stock", () -> stocks.of(item));
///   nursery.awaitAll().orThrow();
///   return new Offer(price.value(), stock.value());
/// }
/// ```
///
/// ## States
///
/// ```
///  OPEN ── close ──► CLOSING ── last child ends ──► CLOSED
///    │                  │
///    └──── cancel ──────┴──► CANCELLING ── last child ends ──► CANCELLED
/// ```
///
/// `StateWord` has no other steps. A nursery without children passes through `CLOSING` or
/// `CANCELLING` in the same atomic step.
///
/// ## One word
///
/// State and number of running children change together, in one compare-and-set. So exactly one
/// step leaves the count at zero outside `OPEN`, and the thread that makes it finishes the nursery:
/// runs its cleanups, settles the result, opens the gate. Waiting threads park at the gate; it
/// opens once and stays open, so a wake-up cannot be lost.
///
/// ## Ending a child
///
/// The code returns or throws; interrupts are held off; an error is kept and, by default, cancels
/// the siblings; cleanups and owned nurseries end, last in first out; the result is set; the child
/// leaves the roster; the count goes down. A child that ignores its cancellation is reported after
/// the grace period; the nursery still waits for it.
///
/// ## Cancelling
///
/// The token's reason and the word change in one step, under the lock of the token. Then every
/// child on the roster gets the reason, and so on down the tree; then the children are interrupted.
/// A child that is being spawned is added to the roster first and reads the token second. So one of
/// the two sees the other. Nurseries below follow the token of the child that owns them.
///
/// ## Identity
///
/// A child gets its place in the tree as an argument, `Self`, not from a thread-local.
///
/// ## Invariants
///
/// - **N1** A child is counted once, from before its thread starts until it has ended.
/// - **N2** No child enters once the state is not `OPEN`.
/// - **N3** The terminal state is reached once, without running children; waiting threads resume.
/// - **N4** Cleanups and nested nurseries end last in first out, inner before outer.
/// - **N5** The first error is the cause. An error takes precedence over a cancellation.
/// - **N6** A cancellation reaches every descendant, including one that is being spawned.
/// - **N7** An interrupt for a child hits the child's own code and nothing else.
/// - **N8** The total of a budget and its parts is constant.
/// - **N9** A nursery reports overdue children and waits for them.
/// - **N10** Every error is in the result, thrown, or reported to the error listener.
///
/// Tests: `StateWordModelTest` N1 to N3, `NurseryModelTest` N5 and N8, `NurseryStressTest` N1 to
/// N7, `CleanupTest` N4, `ErrorTest` N5, `CancellationTest` N6 and N7, `BudgetTest` N8, `GraceTest`
/// N9, `LostErrorTest` N10.
public final class Nursery implements AutoCloseable {

  /// The maximum nesting of nurseries. `Self.open` throws `IllegalStateException` beyond it.
  public static final int NESTING_MAX = 256;

  private final NurseryOptions options;
  private final @Nullable RunningChild<?> owner; // null for a root
  private final int depth;
  private final Budget budget;
  private final CancelToken token;
  private final Errors errors;
  private final NurseryOutcome outcome;
  private final StateWord word = new StateWord();
  private final ChildSet roster = new ChildSet();
  private final Cleanups cleanups = new Cleanups();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final Thread opener = Thread.currentThread();
  private final long openedNanos = System.nanoTime();
  private final FlightEvents.NurseryEvent event = FlightEvents.NurseryEvent.begun();

  // written by the canceller, read by the finishing thread; null without a cancellation
  private volatile @Nullable Future<?> graceTimer;
  // written by the finishing thread; null before it, and `finisher` also after it
  private volatile @Nullable Thread finisher;
  private volatile @Nullable NurseryResult result;
  private volatile boolean isSeen; // written by callers that read the result
  private volatile boolean hasBlockFailed; // written by the opener, maybe after the last child

  private Nursery(NurseryOptions options, @Nullable RunningChild<?> owner, Budget budget) {
    this.options = options;
    this.owner = owner;
    this.depth = owner == null ? 1 : owner.nursery().depth + 1;
    this.budget = budget;
    this.errors = new Errors(options);
    this.outcome = new NurseryOutcome(errors);
    this.token =
        CancelToken.below(
            owner == null ? null : owner.cancelToken(), new NurseryTarget(this, word));
  }

  /// Opens a nursery with the default options.
  public static Nursery open(String name) {
    return open(NurseryOptions.named(name));
  }

  /// Opens a nursery without an owner. Inside a child, use `Self.open` instead.
  public static Nursery open(NurseryOptions options) {
    Amounts grant = options.grant();
    var nursery = new Nursery(options, null, grant == null ? Budget.unlimited() : Budget.of(grant));
    nursery.startDeadline();
    return nursery;
  }

  /// Opens a nursery that is cancelled when the token is cancelled.
  public static Nursery open(NurseryOptions options, CancelToken above) {
    Objects.requireNonNull(above, "above");
    var nursery = open(options);
    nursery.token.follow(above);
    return nursery;
  }

  /// Opens a nursery, runs the block, and waits for the children. Unlike in a `try` statement, an
  /// exception in the block is an error like that of a child: by default it cancels the children.
  @CheckReturnValue
  public static NurseryResult run(NurseryOptions options, NurseryBlock block)
      throws InterruptedException {
    try (var nursery = open(options)) {
      try {
        block.run(nursery);
      } catch (InterruptedException e) {
        nursery.cancel(CancelReason.parent("block was interrupted"));
        throw e;
      } catch (Throwable e) {
        nursery.blockFailed(e);
      }
      return nursery.awaitAll();
    }
  }

  private void blockFailed(Throwable thrown) {
    boolean isStopping = thrown instanceof NurseryCancelled && token.isCancelled();
    for (Throwable each : isStopping ? Stopping.errorsIn(thrown) : List.of(thrown)) {
      failed("block of " + options.name(), each);
      hasBlockFailed = true;
      isSeen = false; // a result that the block has read does not contain its error
    }
  }

  static Nursery nested(NurseryOptions options, RunningChild<?> owner) {
    // The depth is checked before the grant is taken, because a refused nursery must not keep it.
    if (owner.nursery().depth >= NESTING_MAX) {
      throw new IllegalStateException(
          "nursery " + options.name() + ": nested more than " + NESTING_MAX + " levels deep");
    }
    Amounts grant = options.grant();
    if (grant == null) {
      return new Nursery(options, owner, owner.budget());
    }
    var part = owner.budget().carve(grant);
    if (part.isEmpty()) {
      throw SpawnRefused.of(options.name(), grant, owner);
    }
    return new Nursery(options, owner, part.get());
  }

  /// Starts a child that runs this code. Throws `SpawnRefused` if the nursery is not open or its
  /// budget is used up.
  public <T extends @Nullable Object> Child<T> spawn(String name, Callable<T> code) {
    return start(ChildOptions.named(name), code);
  }

  /// Starts a child that runs this code. Throws `SpawnRefused` if the nursery refuses it.
  public <T extends @Nullable Object> Child<T> spawn(String name, ChildBody<T> code) {
    return spawn(ChildOptions.named(name), code);
  }

  /// Starts a child with these options. Throws `SpawnRefused` if the nursery refuses it.
  public <T extends @Nullable Object> Child<T> spawn(ChildOptions chosen, ChildBody<T> code) {
    return start(chosen, code);
  }

  /// Starts a child without a result. Throws `SpawnRefused` if the nursery refuses it.
  public Child<@Nullable Void> launch(String name, ChildAction code) {
    return launch(ChildOptions.named(name), code);
  }

  /// Starts a child without a result. Throws `SpawnRefused` if the nursery refuses it.
  public Child<@Nullable Void> launch(ChildOptions chosen, ChildAction code) {
    return start(chosen, code);
  }

  /// Starts a child, or returns the reason if the nursery is not open or its budget is used up.
  @CheckReturnValue
  public <T extends @Nullable Object> Spawn<T> trySpawn(ChildOptions chosen, ChildBody<T> code) {
    Objects.requireNonNull(code, "code");
    var child = new RunningChild<T>(this, chosen.name(), code);
    RefusalReason refusal = admit(child, chosen);
    return refusal == null ? new Spawn.Spawned<>(child) : new Spawn.Refused<>(refusal);
  }

  /// Stops accepting children. Running children continue; this method does not wait for them.
  public void seal() {
    if (word.close() == StateWord.Step.ENDED) {
      finish();
    }
  }

  /// Stops accepting children and cancels those that run: sets their tokens, interrupts them, and
  /// cancels the nurseries they own. Returns false if it was cancelled before or has ended.
  public boolean cancel(CancelReason reason) {
    return token.cancel(reason);
  }

  /// Cancels the nursery with an explicit reason and this detail.
  public boolean cancel(String detail) {
    return cancel(CancelReason.explicit(detail));
  }

  /// Stops accepting children, waits until all have ended, and returns the result. If the thread
  /// that opened the nursery is interrupted here, the nursery is cancelled.
  @CheckReturnValue
  public NurseryResult awaitAll() throws InterruptedException {
    return awaitAll(Duration.ofDays(Long.MAX_VALUE / 86_400));
  }

  /// Waits like `awaitAll`. After this time, returns `Pending` with the children that still run.
  /// The nursery continues; the caller may cancel it.
  @CheckReturnValue
  public NurseryResult awaitAll(Duration time) throws InterruptedException {
    refuseInside();
    seal();
    try {
      if (!gate.await(Deadlines.nanos(time), TimeUnit.NANOSECONDS)) {
        return new NurseryResult.Pending(Snapshots.children(this));
      }
    } catch (InterruptedException e) {
      if (Thread.currentThread().equals(opener)) {
        cancel(CancelReason.parent("opening thread was interrupted"));
      }
      throw e;
    }
    return seen();
  }

  /// Returns the result if the nursery has ended.
  @CheckReturnValue
  public Optional<NurseryResult> tryResult() {
    return result == null ? Optional.empty() : Optional.of(seen());
  }

  /// Waits until all children have ended. If neither `awaitAll` nor `seal` was called before, the
  /// block that opened the nursery ended early, in most cases with an exception: then the children
  /// that still run are cancelled. An interrupt cancels the nursery as well; the wait continues.
  ///
  /// Throws `NurseryFailed` if a child failed and no caller has requested the result, and
  /// `NurseryCancelled` if this call had to cancel children.
  @Override
  public void close() {
    refuseInside();
    if (word.state() == NurseryState.OPEN && roster.isAnyUnsettled()) {
      cancel(NurseryOutcome.CUT_SHORT);
    }
    seal();
    boolean isInterrupted = false;
    while (true) {
      try {
        gate.await();
        break;
      } catch (InterruptedException e) {
        isInterrupted = true;
        cancel(CancelReason.parent("closing thread was interrupted"));
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    NurseryResult how = isSeen ? new NurseryResult.Success() : seen();
    if (how instanceof NurseryResult.Failed || outcome.isCutShort()) {
      how.orThrow();
    }
  }

  /// Adds a cleanup that runs when the last child has ended, before waiting threads resume.
  /// Cleanups run last in first out on the thread that ends the nursery and should be short. An
  /// exception from one is an error of the nursery.
  public void deferred(Cleanup cleanup) {
    cleanups.add("nursery " + options.name(), Objects.requireNonNull(cleanup, "cleanup"));
  }

  /// Returns the nursery's state.
  public NurseryState state() {
    return word.state();
  }

  /// Returns the number of children that have not ended.
  public long running() {
    return word.running();
  }

  /// Returns the number of errors of its children and cleanups, including those that the result
  /// does not hold because they were passed to the listener `NurseryOptions.onError`.
  public long errorCount() {
    return errors.count();
  }

  /// Returns the token that is cancelled with this nursery. Cancelling it cancels the nursery.
  public CancelToken token() {
    return token;
  }

  /// Returns the budget that its children share.
  public Budget budget() {
    return budget;
  }

  /// Returns the options of this nursery.
  public NurseryOptions options() {
    return options;
  }

  /// Returns a snapshot of the nursery with all its descendants.
  public NurserySnapshot snapshot() {
    return Snapshots.of(this);
  }

  // Called by children and their threads.

  /// Records an error and cancels the other children if the policy requires it.
  void failed(String child, Throwable error) {
    boolean isFirst = errors.record(new ChildError(child, error));
    if (isFirst && options.policy() == ErrorPolicy.CANCEL_ON_FIRST_ERROR) {
      try {
        cancel(CancelReason.failure(child + " failed with " + error.getClass().getName()));
      } catch (RuntimeException | Error e) {
        errors.record(new ChildError("cancel callback of " + options.name(), e));
      }
    }
  }

  /// Removes a child. This is the last call that a child makes.
  void left(RunningChild<?> child) {
    try {
      child.vacate();
    } finally {
      if (word.leave() == StateWord.Step.ENDED) {
        finish();
      }
    }
  }

  /// Starts the timeout after the owner has registered the nursery.
  void startDeadline() {
    Duration timeout = options.timeout();
    if (timeout != null) {
      token.cancelAfter(timeout);
    }
  }

  /// Records that a child stopped without a value.
  void stopped(String child, CancelReason why) {
    outcome.stopped(child, why);
  }

  ChildSet roster() {
    return roster;
  }

  long ageNanos() {
    return System.nanoTime() - openedNanos;
  }

  /// Starts a child with code in one of the three forms that `ChildCode` accepts.
  private <T extends @Nullable Object> Child<T> start(ChildOptions chosen, Object code) {
    Objects.requireNonNull(code, "code");
    var child = new RunningChild<T>(this, chosen.name(), code);
    RefusalReason refusal = admit(child, chosen);
    if (refusal != null) {
      throw SpawnRefused.of(this, chosen.name(), refusal);
    }
    return child;
  }

  @Nullable RefusalReason admit(RunningChild<?> child, ChildOptions chosen) {
    if (options.timeout() != null) {
      token.expireIfDue();
    }
    if (word.state() != NurseryState.OPEN) {
      return RefusalReason.NOT_OPEN;
    }
    Amounts grant = chosen.grant();
    Amounts cost = grant == null ? Amounts.ONE_SPAWN : Amounts.ONE_SPAWN.plus(grant);
    if (!budget.tryTake(cost)) {
      return RefusalReason.BUDGET_USED_UP;
    }
    if (word.enter() == StateWord.Step.REFUSED) {
      budget.restore(cost);
      return RefusalReason.NOT_OPEN;
    }
    boolean isStarted = false;
    try {
      child.start(chosen, roster, word.running());
      isStarted = true;
    } finally {
      if (!isStarted) {
        // The thread could not be created; the caller of `spawn` gets the exception.
        budget.restore(Amounts.ONE_SPAWN);
        left(child);
      }
    }
    return null;
  }

  void watchGrace() {
    graceTimer = GracePeriodMonitor.watch(this);
    if (result != null) {
      stopGraceTimer();
    }
  }

  /// Ends the nursery. Runs once, on the thread whose step reached the terminal state. The gate
  /// opens also if a cleanup throws.
  void finish() {
    NurseryResult how = null;
    try {
      finisher = Thread.currentThread();
      cleanups.runAll(
          thrown -> errors.record(new ChildError("cleanup of " + options.name(), thrown)));
      token.retire();
      if (owner != null && options.grant() != null) {
        budget.giveBack();
      }
      finisher = null;
      how = outcome.result(state(), token);
      result = how;
      if (owner != null && !(how instanceof NurseryResult.Failed)) {
        owner.disown(this);
      }
      event.ended(this, how);
    } catch (RuntimeException | Error e) {
      Errors.warn("nursery " + options.name() + " did not end normally", e);
      if (how == null) {
        result = new NurseryResult.Failed(new ChildError(options.name(), e), List.of());
      }
    } finally {
      finisher = null;
      stopGraceTimer();
      gate.countDown();
    }
  }

  /// Returns the result and marks it as read. The owner inherits a failure that no caller has read.
  private NurseryResult seen() {
    NurseryResult ended = Objects.requireNonNull(result, "no result");
    NurseryResult how = hasBlockFailed ? outcome.result(state(), token) : ended;
    result = how;
    if (!isSeen) {
      isSeen = true;
      if (owner != null) {
        owner.disown(this);
      }
    }
    return how;
  }

  private void stopGraceTimer() {
    Future<?> timer = graceTimer;
    if (timer != null) {
      timer.cancel(false);
    }
  }

  /// Throws if the caller is a child of this nursery, because it would wait for itself forever.
  private void refuseInside() {
    Thread current = Thread.currentThread();
    // The opening thread is never a child of this nursery, so the usual case needs no search.
    if (result == null
        && (current.equals(finisher) || (!current.equals(opener) && roster.holds(current)))) {
      throw new IllegalStateException(
          "nursery %s: thread %s runs inside it and must not wait for it"
              .formatted(options.name(), current.getName()));
    }
  }
}
