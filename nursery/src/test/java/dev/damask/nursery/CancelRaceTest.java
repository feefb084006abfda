package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Cancellations that meet spawns, awaits, callbacks, deadlines and deep trees.
@ExtendWith(NoThreadLeft.class)
class CancelRaceTest {

  private static final CancelReason WHY = CancelReason.explicit("test");

  @Test
  void a_cancel_that_has_only_set_its_reason_has_also_changed_the_state() throws Exception {
    var above = CancelToken.create();
    var nursery = Nursery.open(NurseryOptions.named("race"), above);
    Thread canceller;
    Spawn<Integer> spawned;
    synchronized (above.lock) {
      // The canceller stops where it takes the token off the one above, behind the reason.
      canceller = Thread.ofPlatform().start(() -> nursery.cancel(WHY));
      Until.isTrue(nursery.token()::isCancelled);
      spawned = nursery.trySpawn(ChildOptions.named("late"), _ -> 1);
      nursery.seal();
    }
    canceller.join();

    var result = nursery.awaitAll();

    assertThat(spawned).isEqualTo(new Spawn.Refused<>(RefusalReason.NOT_OPEN));
    assertThat(result).isEqualTo(new NurseryResult.Cancelled(WHY));
  }

  @Test
  void a_nursery_with_a_cancelled_child_is_cancelled_in_every_order() throws Exception {
    for (int round = 0; round < 3_000; round++) {
      var nursery = Nursery.open("race");
      var canceller = Thread.ofPlatform().start(() -> nursery.cancel(WHY));
      var spawned = nursery.trySpawn(ChildOptions.named("child"), _ -> 1);
      var result = nursery.awaitAll();
      canceller.join();

      if (spawned instanceof Spawn.Spawned<Integer> started
          && started.child().await() instanceof ChildResult.Cancelled) {
        assertThat(result).isEqualTo(new NurseryResult.Cancelled(WHY));
      }
      assertThat(result instanceof NurseryResult.Cancelled)
          .isEqualTo(nursery.token().isCancelled());
    }
  }

  @Test
  void the_token_of_an_ended_nursery_cannot_be_cancelled() throws Exception {
    var nursery = Nursery.open("ended");
    var result = nursery.awaitAll();

    var isCancelled = nursery.token().cancel(WHY);

    assertThat(result).isEqualTo(new NurseryResult.Success());
    assertThat(isCancelled).isFalse();
    assertThat(nursery.token().isCancelled()).isFalse();
  }

  @Test
  @SuppressWarnings("NullAway") // nulls on purpose
  void null_reasons_and_details_are_refused_and_nothing_hangs() throws Exception {
    var nursery = Nursery.open("nulls");
    var isFree = new CountDownLatch(1);
    var child = nursery.launch("child", _ -> isFree.await());

    assertThatThrownBy(() -> nursery.cancel((CancelReason) null)).hasMessage("reason");
    assertThatThrownBy(() -> nursery.cancel((String) null)).hasMessage("detail");
    assertThatThrownBy(() -> nursery.token().cancel(null)).hasMessage("reason");
    assertThatThrownBy(() -> child.cancel(null)).hasMessage("reason");
    assertThatThrownBy(() -> CancelReason.explicit(null)).hasMessage("detail");
    assertThatThrownBy(() -> nursery.token().onCancel(null)).hasMessage("action");
    assertThatThrownBy(() -> nursery.deferred(null)).hasMessage("cleanup");
    assertThatThrownBy(() -> nursery.launch("null", null)).hasMessage("code");
    assertThatThrownBy(() -> ChildOptions.named(null)).hasMessage("name");
    assertThatThrownBy(() -> NurseryOptions.named(null)).hasMessage("name");
    isFree.countDown();
    assertThat(nursery.awaitAll()).isEqualTo(new NurseryResult.Success());
  }

  @Test
  void a_callback_that_blocks_keeps_neither_children_nor_other_callbacks_from_being_notified()
      throws Exception {
    var isFree = new CountDownLatch(1);
    var isNotified = new CountDownLatch(1);
    var nursery = Nursery.open("blocked");
    var child = nursery.launch("child", _ -> new CountDownLatch(1).await());
    Until.isParked(child);
    nursery.token().onCancel(_ -> awaitQuietly(isFree));
    nursery.token().onCancel(_ -> isNotified.countDown());

    var canceller = Thread.ofPlatform().start(() -> nursery.cancel(WHY));
    var result = nursery.awaitAll();
    var isOtherNotified = isNotified.await(20, TimeUnit.SECONDS);
    isFree.countDown();
    canceller.join();

    assertThat(result).isEqualTo(new NurseryResult.Cancelled(WHY));
    assertThat(isOtherNotified).isTrue();
  }

  @Test
  void a_callback_that_throws_keeps_no_stubborn_child_from_being_reported() throws Exception {
    var reported = new CountDownLatch(1);
    var isFree = new AtomicBoolean();
    var options =
        NurseryOptions.named("stubborn")
            .withGrace(Duration.ofMillis(5))
            .withOnOverdue(_ -> reported.countDown());
    var nursery = Nursery.open(options);
    var isUp = new CountDownLatch(1);
    nursery.launch(
        "stubborn",
        self -> {
          self.cancelToken()
              .onCancel(_ -> {
                throw new IllegalArgumentException("broken callback");
              });
          isUp.countDown();
          Until.isTrue(isFree::get);
        });
    isUp.await();

    assertThatThrownBy(() -> nursery.cancel(WHY)).hasMessage("broken callback");
    var isReported = reported.await(20, TimeUnit.SECONDS);
    isFree.set(true);

    assertThat(isReported).isTrue();
    assertThat(nursery.awaitAll()).isEqualTo(new NurseryResult.Cancelled(WHY));
  }

  @Test
  void a_report_listener_that_throws_or_blocks_keeps_no_other_child_from_being_reported()
      throws Exception {
    var reported = new CopyOnWriteArrayList<String>();
    var isFree = new CountDownLatch(1);
    var isLast = new CountDownLatch(1);
    var options =
        NurseryOptions.named("stubborn")
            .withGrace(Duration.ofMillis(5))
            .withOnOverdue(child -> {
              reported.add(child.name());
              switch (child.name()) {
                case "a" -> throw new IllegalArgumentException("broken listener");
                case "b" -> awaitQuietly(isFree);
                default -> isLast.countDown();
              }
            });
    try (var log = new LogLines()) {
      var nursery = Nursery.open(options);
      var end = new AtomicBoolean();
      for (String name : new String[] {"a", "b", "c"}) {
        var isUp = new CountDownLatch(1);
        nursery.launch(
            name,
            _ -> {
              isUp.countDown();
              Until.isTrue(end::get);
            });
        isUp.await();
      }

      nursery.cancel(WHY);
      var isReported = isLast.await(20, TimeUnit.SECONDS);
      isFree.countDown();
      end.set(true);
      var result = nursery.awaitAll();

      assertThat(isReported).isTrue();
      assertThat(reported).containsExactly("a", "b", "c");
      assertThat(result).isEqualTo(new NurseryResult.Cancelled(WHY));
      Until.isTrue(() -> !log.lines().isEmpty());
      assertThat(log.lines().getFirst()).contains("broken listener");
    }
  }

  @Test
  void many_overdue_children_are_one_log_line() throws Exception {
    try (var log = new LogLines()) {
      var nursery = Nursery.open(NurseryOptions.named("many").withGrace(Duration.ofMillis(50)));
      var end = new CountDownLatch(1);
      var isUp = new CountDownLatch(500);
      for (int i = 0; i < 500; i++) {
        nursery.launch(
            "child",
            _ -> {
              isUp.countDown();
              awaitQuietly(end);
            });
      }
      isUp.await();

      nursery.cancel(WHY);
      Until.isTrue(() -> !log.lines().isEmpty());
      end.countDown();
      var result = nursery.awaitAll();

      assertThat(result).isInstanceOf(NurseryResult.Cancelled.class);
      assertThat(log.lines()).hasSize(1);
      assertThat(log.lines().getFirst())
          .startsWith(
              "nursery many: cancelled children that still run after the grace period: 500;");
    }
  }

  @Test
  void a_deadline_does_not_wait_for_the_common_pool() throws Exception {
    int workers = Math.max(2, ForkJoinPool.getCommonPoolParallelism() + 1);
    var isFree = new CountDownLatch(1);
    var isBusy = new CountDownLatch(ForkJoinPool.getCommonPoolParallelism());
    for (int i = 0; i < 4 * workers; i++) {
      ForkJoinPool.commonPool()
          .execute(() -> {
            isBusy.countDown();
            awaitQuietly(isFree);
          });
    }
    isBusy.await();
    try {
      var nursery = Nursery.open(NurseryOptions.named("slow").withTimeout(Duration.ofMillis(20)));
      var _ = nursery.trySpawn(ChildOptions.named("child"), _ -> awaitForEver());

      var result = nursery.awaitAll(Duration.ofSeconds(20));

      assertThat(result).isInstanceOf(NurseryResult.Cancelled.class);
    } finally {
      isFree.countDown();
    }
  }

  @Test
  void a_deadline_in_the_past_runs_no_child() throws Exception {
    var hasRun = new AtomicBoolean();
    var late = Nursery.open(NurseryOptions.named("late").withTimeout(Duration.ofSeconds(-1)));
    var refused = late.trySpawn(ChildOptions.named("child"), _ -> hasRun.getAndSet(true));
    var nursery = Nursery.open("child");
    var options = ChildOptions.named("child").withTimeout(Duration.ZERO);
    var child = nursery.spawn(options, _ -> hasRun.getAndSet(true));

    assertThat(late.awaitAll()).isInstanceOf(NurseryResult.Cancelled.class);
    assertThat(refused).isEqualTo(new Spawn.Refused<>(RefusalReason.NOT_OPEN));
    assertThat(nursery.awaitAll())
        .isEqualTo(new NurseryResult.Cancelled(CancelReason.timeout("child child: PT0S passed")));
    assertThat(child.await()).isInstanceOf(ChildResult.Cancelled.class);
    assertThat(hasRun).isFalse();
  }

  @Test
  void a_block_that_throws_before_it_waits_cancels_its_children() {
    var child = new AtomicReference<Child<?>>();
    var broken = new IllegalStateException("broken");

    assertThatThrownBy(
            () -> {
              try (var nursery = Nursery.open("block")) {
                child.set(nursery.launch("child", _ -> new CountDownLatch(1).await()));
                throw broken;
              }
            })
        .isSameAs(broken);

    assertThat(child.get().tryResult().orElseThrow()).isInstanceOf(ChildResult.Cancelled.class);
  }

  @Test
  void closing_a_nursery_before_waiting_says_that_children_were_cancelled() {
    var nursery = Nursery.open("early");
    nursery.launch("child", _ -> new CountDownLatch(1).await());

    assertThatThrownBy(nursery::close)
        .isInstanceOf(NurseryCancelled.class)
        .hasMessageContaining("closed before awaitAll");
  }

  /// Counts frames instead of running on a small stack: an overflow inside the JDK's scheduler of
  /// virtual threads would stop every other test of this JVM.
  @Test
  void cancelling_the_deepest_allowed_tree_needs_little_stack() throws Exception {
    var root = Nursery.open("root");
    var isUp = new CountDownLatch(1);
    var frames = new AtomicLong();
    root.launch("0", self -> nest(self, Nursery.NESTING_MAX - 1, isUp, frames));
    isUp.await();

    root.cancel(WHY);
    var result = root.awaitAll();

    assertThat(frames.get() - frames()).isBetween(1L, 20L);
    assertThat(result).isEqualTo(new NurseryResult.Cancelled(WHY));
  }

  @Test
  void a_nursery_refused_at_the_nesting_limit_returns_its_grant() throws Exception {
    var ten = Amounts.BOUNDLESS.effects(10);
    var root = Nursery.open(NurseryOptions.named("root").withGrant(ten));
    var refusals = new ArrayList<Throwable>();
    root.launch("0", self -> nestAndOverflow(self, Nursery.NESTING_MAX - 1, refusals));

    var result = root.awaitAll();

    assertThat(result).isEqualTo(new NurseryResult.Success());
    assertThat(refusals).hasSize(1);
    assertThat(root.budget().left().effects()).isEqualTo(10);
  }

  @Test
  void grace_timers_of_ended_children_are_removed() throws Exception {
    int before = Deadlines.waiting();
    var nursery = Nursery.open(NurseryOptions.named("grace").withGrace(Duration.ofHours(1)));
    for (int i = 0; i < 100; i++) {
      var child = nursery.launch("child", _ -> new CountDownLatch(1).await());
      child.cancel(WHY);
      var _ = child.await();
    }
    var result = nursery.awaitAll();

    assertThat(result).isEqualTo(new NurseryResult.Success());
    assertThat(Deadlines.waiting()).isLessThanOrEqualTo(before);
  }

  private static void nest(Self self, int levels, CountDownLatch isUp, AtomicLong frames)
      throws Exception {
    if (levels == 0) {
      self.cancelToken().onCancel(_ -> frames.set(frames()));
      isUp.countDown();
      new CountDownLatch(1).await();
    }
    try (var nursery = self.open("inner")) {
      nursery.launch("child", inner -> nest(inner, levels - 1, isUp, frames));
      nursery.awaitAll().orThrow();
    }
  }

  private static void nestAndOverflow(Self self, int levels, ArrayList<Throwable> refusals)
      throws Exception {
    if (levels == 0) {
      try {
        self.open(NurseryOptions.named("one more").withGrant(Amounts.NONE.effects(4)));
      } catch (IllegalStateException e) {
        refusals.add(e);
      }
      return;
    }
    try (var nursery = self.open("inner")) {
      nursery.launch("child", inner -> nestAndOverflow(inner, levels - 1, refusals));
      nursery.awaitAll().orThrow();
    }
  }

  private static long frames() {
    return StackWalker.getInstance().walk(Stream::count);
  }

  private static int awaitForEver() throws InterruptedException {
    new CountDownLatch(1).await();
    return 0;
  }

  private static void awaitQuietly(CountDownLatch latch) {
    boolean isOver = false;
    while (!isOver) {
      try {
        latch.await();
        isOver = true;
      } catch (InterruptedException e) {
        // The test counts the latch down.
      }
    }
  }
}
