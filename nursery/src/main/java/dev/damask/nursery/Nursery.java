package dev.damask.nursery;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A home for concurrent work: children run in threads of their own, and the nursery does not end
/// before the last of them has come home.
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
/// There is no other way: `StateWord` has no step for one. A nursery without children passes
/// through `CLOSING` or `CANCELLING` in the same atomic step.
///
/// ## One word
///
/// State and number of running children change together, in one compare-and-set. With two words a
/// child could be counted after the closer found nobody, or two could each believe to be the last.
/// So the step that leaves the count at zero outside `OPEN` is unique, and whoever makes it
/// finishes the nursery: runs its cleanups, settles the result, opens the gate. That may be the
/// last child, or the one who closes or cancels an empty nursery. Waiting parks at the gate and
/// polls nothing; the gate opens once and stays open, so there is no wake-up to lose.
///
/// ## Ending a child
///
/// The code returns or throws; interrupts are held off; an error is kept and, by default, cancels
/// the siblings; cleanups and owned nurseries are taken down, last in first out; the result is set;
/// the child leaves the roster; the count goes down. A child is never given up: one that ignores
/// its cancellation is reported after the grace period, and waited for.
///
/// ## Cancelling
///
/// The token gets its reason, then the word moves, then everyone on the roster is told: reason
/// first, interrupt second. A child that is being spawned goes on the roster first and looks at the
/// token second. So one of the two sees the other, and nobody is missed. Nurseries below follow the
/// token of the child that owns them.
///
/// ## Who is inside
///
/// A child gets its place in the tree as an argument, `Self`, and not from a thread-local or scoped
/// value: that is visible in the code, and costs no memory per thread.
///
/// ## What holds always
///
/// - **N1** A child is counted once, from before its thread starts until it has ended.
/// - **N2** No child enters once the state is not `OPEN`.
/// - **N3** The terminal state is reached once, with nobody running; every waiter then goes on.
/// - **N4** Cleanups and nested nurseries end last in first out, inner before outer.
/// - **N5** The first error wins, and an error beats a cancellation in both orders.
/// - **N6** A cancellation reaches every descendant, also one that is just being spawned.
/// - **N7** An interrupt for a child hits the child's own code and nothing else.
/// - **N8** A budget neither makes nor loses anything.
/// - **N9** Nobody is abandoned silently.
///
/// `StateWordModelTest` attacks N1 to N3 under every interleaving, `NurseryStressTest` N1 to N7
/// with many threads; one by one: `CleanupTest` and `NestedNurseryTest` N4, `ErrorTest` N5,
/// `CancellationTest` N6 and N7, `BudgetTest` N8, `GraceTest` N9.
public final class Nursery implements AutoCloseable {

  /// Levels of nurseries inside each other.
  public static final int NESTING_MAX = 256;

  private final NurseryOptions options;
  private final @Nullable RunningChild<?> owner; // null for a root
  private final int depth;
  private final Budget budget;
  private final CancelToken token;
  private final Errors errors;
  private final StateWord word = new StateWord();
  private final Roster roster = new Roster();
  private final Cleanups cleanups = new Cleanups();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final Thread opener = Thread.currentThread();
  private final long openedNanos = System.nanoTime();
  private final NurseryEvent event = NurseryEvent.begun();

  // written by the canceller, read by whoever finishes; null without a cancellation
  private volatile @Nullable Future<?> graceTimer;
  // written by whoever finishes, read by any thread; null before that, and after it for the first
  private volatile @Nullable Thread finisher;
  private volatile @Nullable NurseryResult result;
  // written by whoever looks at the result
  private volatile boolean isSeen;

  private Nursery(NurseryOptions options, @Nullable RunningChild<?> owner, Budget budget) {
    this.options = options;
    this.owner = owner;
    this.depth = owner == null ? 1 : owner.nursery().depth + 1;
    if (depth > NESTING_MAX) {
      throw new IllegalStateException("expected at most " + NESTING_MAX + " nested nurseries");
    }
    this.budget = budget;
    this.errors = new Errors(options.policy());
    this.token = CancelToken.below(owner == null ? null : owner.cancelToken(), this::cancelled);
    Duration timeout = options.timeout();
    if (timeout != null) {
      token.cancelAfter(timeout);
    }
  }

  /// Opens a nursery with the usual options.
  public static Nursery open(String name) {
    return open(NurseryOptions.named(name));
  }

  /// Opens a nursery that nobody owns. Inside a child, use `Self.open` instead.
  public static Nursery open(NurseryOptions options) {
    Amounts grant = options.grant();
    return new Nursery(options, null, grant == null ? Budget.unlimited() : Budget.of(grant));
  }

  /// Opens a nursery that is cancelled when the token is.
  public static Nursery open(NurseryOptions options, CancelToken above) {
    var nursery = open(options);
    nursery.follow(above);
    return nursery;
  }

  /// Opens a nursery, runs the block, and waits for the children. Unlike in a `try` statement, an
  /// exception in the block is an error like that of a child: by default it cancels the children.
  public static NurseryResult run(NurseryOptions options, NurseryBlock block)
      throws InterruptedException {
    try (var nursery = open(options)) {
      try {
        block.run(nursery);
      } catch (InterruptedException e) {
        nursery.cancel(CancelReason.parent("its block was interrupted"));
        throw e;
      } catch (Throwable e) {
        if (!(e instanceof NurseryCancelled && nursery.token.isCancelled())) {
          nursery.failed("block of " + options.name(), e);
        }
      }
      return nursery.awaitAll();
    }
  }

  static Nursery nested(NurseryOptions options, RunningChild<?> owner) {
    Amounts grant = options.grant();
    if (grant == null) {
      return new Nursery(options, owner, owner.budget());
    }
    var part = owner.budget().carve(grant);
    if (part.isEmpty()) {
      throw new SpawnRefused(
          "nursery %s needs %s, %s has %s left"
              .formatted(options.name(), grant, owner.name(), owner.budget().left()),
          Refusal.BUDGET_USED_UP);
    }
    return new Nursery(options, owner, part.get());
  }

  /// Starts a child that runs this code. `SpawnRefused` if the nursery is not open or its budget is
  /// used up.
  public <T extends @Nullable Object> Child<T> spawn(String name, Callable<T> code) {
    return start(ChildOptions.named(name), code);
  }

  /// Starts a child that runs this code.
  public <T extends @Nullable Object> Child<T> spawn(String name, ChildBody<T> code) {
    return spawn(ChildOptions.named(name), code);
  }

  /// Starts a child that runs this code.
  public <T extends @Nullable Object> Child<T> spawn(ChildOptions chosen, ChildBody<T> code) {
    return start(chosen, code);
  }

  /// Starts a child that returns nothing.
  public Child<@Nullable Void> launch(String name, ChildAction code) {
    return launch(ChildOptions.named(name), code);
  }

  /// Starts a child that returns nothing.
  public Child<@Nullable Void> launch(ChildOptions chosen, ChildAction code) {
    return start(chosen, code);
  }

  /// As `spawn`, for callers who expect to be refused.
  public <T extends @Nullable Object> Spawn<T> trySpawn(ChildOptions chosen, ChildBody<T> code) {
    var child = new RunningChild<T>(this, chosen.name(), code);
    Refusal refusal = admit(child, chosen);
    return refusal == null ? new Spawn.Spawned<>(child) : new Spawn.Refused<>(refusal);
  }

  /// Takes no more children. Those it has go on; nothing waits for them here.
  public void seal() {
    if (word.close() == StateWord.Step.ENDED) {
      finish();
    }
  }

  /// Takes no more children and tells those it has to stop: sets their tokens, interrupts them, and
  /// does the same to the nurseries they own. False if it was cancelled before or has ended.
  public boolean cancel(CancelReason reason) {
    return !state().isTerminal() && token.cancel(reason);
  }

  /// Cancels because somebody wants it so.
  public boolean cancel(String detail) {
    return cancel(CancelReason.explicit(detail));
  }

  /// Takes no more children, waits until all have come home, and says how it went. When the thread
  /// that opened the nursery is interrupted here, the nursery is cancelled.
  public NurseryResult awaitAll() throws InterruptedException {
    return awaitAll(Duration.ofDays(Long.MAX_VALUE / 86_400));
  }

  /// As `awaitAll`, but comes back with `Pending` and the names of those who are not home when the
  /// time has passed. The nursery goes on; cancelling it is the caller's decision.
  public NurseryResult awaitAll(Duration time) throws InterruptedException {
    refuseInside();
    seal();
    try {
      if (!gate.await(Timers.nanos(time), TimeUnit.NANOSECONDS)) {
        return new NurseryResult.Pending(Snapshots.children(this));
      }
    } catch (InterruptedException e) {
      if (Thread.currentThread().equals(opener)) {
        cancel(CancelReason.parent("the thread that opened it was interrupted"));
      }
      throw e;
    }
    return seen();
  }

  /// How it went, if it has ended.
  public Optional<NurseryResult> tryResult() {
    return result == null ? Optional.empty() : Optional.of(seen());
  }

  /// Takes no more children and waits until all have come home. An interrupt cancels the nursery,
  /// and the wait goes on. Throws `NurseryFailed` if a child failed and nobody has taken the
  /// result: an error is not lost because nobody asked.
  @Override
  public void close() {
    refuseInside();
    seal();
    boolean isInterrupted = false;
    while (true) {
      try {
        gate.await();
        break;
      } catch (InterruptedException e) {
        isInterrupted = true;
        cancel(CancelReason.parent("the thread that closes it was interrupted"));
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    if (!isSeen && seen() instanceof NurseryResult.Failed failed) {
      failed.orThrow();
    }
  }

  /// Does this when the last child has come home, before anyone who waits goes on; the last one
  /// given is done first. It runs in the thread that ends the nursery and should be short. What it
  /// throws is an error of the nursery.
  public void deferred(Cleanup cleanup) {
    cleanups.add("nursery " + options.name(), cleanup);
  }

  /// Where it stands.
  public NurseryState state() {
    return word.state();
  }

  /// How many children have not ended.
  public long running() {
    return word.running();
  }

  /// The token that is cancelled with this nursery; cancelling it cancels the nursery.
  public CancelToken token() {
    return token;
  }

  /// What its children share.
  public Budget budget() {
    return budget;
  }

  /// What it was opened with.
  public NurseryOptions options() {
    return options;
  }

  /// All that lives in it at the moment, down to the last grandchild.
  public NurserySnapshot snapshot() {
    return Snapshots.of(this);
  }

  // What children and their threads call.

  /// Keeps an error and cancels the rest if the policy says so.
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

  /// The last thing a child does.
  void left(RunningChild<?> child) {
    child.vacate();
    if (word.leave() == StateWord.Step.ENDED) {
      finish();
    }
  }

  void follow(CancelToken above) {
    token.follow(above);
  }

  Roster roster() {
    return roster;
  }

  long ageNanos() {
    return System.nanoTime() - openedNanos;
  }

  /// Starts a child with code in one of the three shapes it may have.
  private <T extends @Nullable Object> Child<T> start(ChildOptions chosen, Object code) {
    var child = new RunningChild<T>(this, chosen.name(), code);
    Refusal refusal = admit(child, chosen);
    if (refusal != null) {
      throw new SpawnRefused(
          switch (refusal) {
            case NOT_OPEN ->
                "nursery %s takes no child %s: it is %s"
                    .formatted(options.name(), chosen.name(), state());
            case BUDGET_USED_UP ->
                "nursery %s takes no child %s: its budget has %s left"
                    .formatted(options.name(), chosen.name(), budget.left());
          },
          refusal);
    }
    return child;
  }

  private @Nullable Refusal admit(RunningChild<?> child, ChildOptions chosen) {
    if (word.state() != NurseryState.OPEN) {
      return Refusal.NOT_OPEN;
    }
    Amounts grant = chosen.grant();
    Amounts cost = grant == null ? Amounts.ONE_SPAWN : Amounts.ONE_SPAWN.plus(grant);
    if (!budget.tryTake(cost)) {
      return Refusal.BUDGET_USED_UP;
    }
    if (word.enter() == StateWord.Step.REFUSED) {
      budget.restore(cost);
      return Refusal.NOT_OPEN;
    }
    boolean isStarted = false;
    try {
      child.start(chosen, roster, word.running());
      isStarted = true;
    } finally {
      if (!isStarted) {
        // No thread could be had; the exception goes to whoever spawns.
        budget.restore(Amounts.ONE_SPAWN);
        left(child);
      }
    }
    return null;
  }

  /// Runs once, when the token has its reason.
  private void cancelled(CancelReason why) {
    switch (word.cancel()) {
      case REFUSED -> {}
      case ENDED -> {
        CancelEvent.commit(this, why);
        finish();
      }
      case MOVED -> {
        CancelEvent.commit(this, why);
        roster.tell(why);
        graceTimer = Overdue.watch(this);
        if (result != null) {
          stopGraceTimer();
        }
      }
    }
  }

  /// Runs once, in the thread whose step reached the terminal state.
  private void finish() {
    try {
      finisher = Thread.currentThread();
      cleanups.runAll(
          thrown -> errors.record(new ChildError("cleanup of " + options.name(), thrown)));
      token.retire();
      if (owner != null && options.grant() != null) {
        budget.giveBack();
      }
    } finally {
      finisher = null;
      NurseryResult how = outcome();
      result = how;
      if (owner != null && !(how instanceof NurseryResult.Failed)) {
        owner.disown(this);
      }
      stopGraceTimer();
      event.ended(this, how);
      gate.countDown();
    }
  }

  private NurseryResult outcome() {
    ChildError first = errors.first();
    if (first != null) {
      return new NurseryResult.Failed(first, errors.all());
    }
    return state() == NurseryState.CANCELLED
        ? new NurseryResult.Cancelled(token.reason().orElseThrow())
        : new NurseryResult.Success();
  }

  /// The result, from now on known to somebody. A failure that nobody has seen stays with the
  /// owner.
  private NurseryResult seen() {
    NurseryResult how = result;
    if (how == null) {
      throw new IllegalStateException("expected a result of " + options.name() + ", found none");
    }
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

  /// A child that waited for its own nursery would wait for ever.
  private void refuseInside() {
    Thread current = Thread.currentThread();
    // The opener is never a child of what it opened, so the usual case costs no search.
    if (result == null
        && (current.equals(finisher) || (!current.equals(opener) && roster.holds(current)))) {
      throw new IllegalStateException(
          "expected a thread outside of nursery %s to wait for it, found %s inside"
              .formatted(options.name(), current.getName()));
    }
  }
}
