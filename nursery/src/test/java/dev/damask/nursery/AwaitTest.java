package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Waiting for children, with and without an end to the patience.
@ExtendWith(NoThreadLeft.class)
class AwaitTest {

  @Test
  void the_nursery_ends_when_its_last_child_ends_and_not_when_somebody_asks() {
    var nursery = Nursery.open("prompt");
    var isFree = new CountDownLatch(1);
    nursery.launch("child", _ -> isFree.await());
    nursery.seal();
    var before = nursery.state();

    isFree.countDown();
    Until.isTrue(() -> nursery.state() != NurseryState.CLOSING);

    assertThat(before).isEqualTo(NurseryState.CLOSING);
    assertThat(nursery.state()).isEqualTo(NurseryState.CLOSED);
  }

  @Test
  void there_is_no_result_while_a_child_runs_and_one_afterwards() throws InterruptedException {
    var nursery = Nursery.open("result");
    var isFree = new CountDownLatch(1);
    nursery.launch("child", _ -> isFree.await());
    var before = nursery.tryResult();

    isFree.countDown();
    var _ = nursery.awaitAll();

    assertThat(before).isEmpty();
    assertThat(nursery.tryResult()).contains(new NurseryResult.Success());
  }

  @Test
  void waiting_with_a_deadline_names_who_has_not_come_home() throws InterruptedException {
    try (var nursery = Nursery.open("late")) {
      var isFree = new CountDownLatch(1);
      var slow = nursery.launch("slow", _ -> isFree.await());
      Until.isParked(slow);

      var result = nursery.awaitAll(Duration.ofMillis(1));
      isFree.countDown();

      assertThat(result).isInstanceOf(NurseryResult.Pending.class);
      assertThat(((NurseryResult.Pending) result).notHome())
          .extracting(ChildSnapshot::name)
          .containsExactly("slow");
      assertThatThrownBy(result::orThrow).hasMessageContaining("children still running: slow");
      assertThat(nursery.awaitAll()).isEqualTo(new NurseryResult.Success());
    }
  }

  @Test
  void waiting_for_the_own_nursery_is_refused_inside_it() throws InterruptedException {
    var nursery = Nursery.open("self");
    var child = nursery.spawn("child", () -> nursery.awaitAll());

    var result = nursery.awaitAll();

    assertThat(child.tryResult().orElseThrow()).isInstanceOf(ChildResult.Failed.class);
    assertThat(((NurseryResult.Failed) result).first().error())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("nursery self: thread ")
        .hasMessageEndingWith(" runs inside it and must not wait for it");
  }

  @Test
  void waiting_for_an_outer_nursery_is_refused_inside_an_inner_one() throws InterruptedException {
    var outer = Nursery.open("outer");
    outer.launch(
        "owner",
        self -> {
          try (var inner = self.open("inner")) {
            inner.spawn("leaf", () -> outer.awaitAll());
            inner.awaitAll().orThrow();
          }
        });

    var result = outer.awaitAll();

    assertThat(((NurseryResult.Failed) result).first().error())
        .isInstanceOf(NurseryFailed.class)
        .hasRootCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void waiting_inside_a_cleanup_of_the_nursery_is_refused() throws InterruptedException {
    var nursery = Nursery.open("cleanup");
    nursery.deferred(nursery::close);
    nursery.spawn("child", () -> 1);

    var result = nursery.awaitAll();

    assertThat(result).isInstanceOf(NurseryResult.Failed.class);
  }

  @Test
  void a_child_cannot_wait_for_itself() throws InterruptedException {
    var nursery = Nursery.open("self");
    var handle = new AtomicReference<Child<?>>();
    var isSet = new CountDownLatch(1);
    handle.set(
        nursery.launch(
            "child",
            _ -> {
              isSet.await();
              handle.get().await();
            }));
    isSet.countDown();

    var result = nursery.awaitAll();

    assertThat(((NurseryResult.Failed) result).first().error())
        .hasMessage("child child must not wait for itself");
  }

  @Test
  void interrupting_the_opener_while_it_waits_cancels_the_nursery() throws InterruptedException {
    var result = new AtomicReference<NurseryResult>();
    var isUp = new CountDownLatch(1);
    var opener =
        Thread.ofVirtual()
            .start(() -> {
              var nursery = Nursery.open("stopped");
              nursery.launch("child", _ -> new CountDownLatch(1).await());
              isUp.countDown();
              try {
                var _ = nursery.awaitAll();
              } catch (InterruptedException e) {
                nursery.close();
                result.set(nursery.tryResult().orElseThrow());
              }
            });
    isUp.await();

    opener.interrupt();
    opener.join();

    assertThat(((NurseryResult.Cancelled) result.get()).reason().kind())
        .isEqualTo(CancelReason.Kind.PARENT);
  }

  @Test
  void an_interrupt_while_closing_cancels_the_children_and_is_still_set_afterwards()
      throws InterruptedException {
    var wasInterrupted = new AtomicReference<Boolean>();
    var isUp = new CountDownLatch(1);
    var opener =
        Thread.ofVirtual()
            .start(() -> {
              try (var nursery = Nursery.open("stopped")) {
                nursery.launch("child", _ -> new CountDownLatch(1).await());
                nursery.seal();
                isUp.countDown();
              }
              wasInterrupted.set(Thread.currentThread().isInterrupted());
            });
    isUp.await();

    opener.interrupt();
    opener.join();

    assertThat(wasInterrupted.get()).isTrue();
  }

  @Test
  void a_failure_that_nobody_looked_at_is_thrown_when_the_nursery_is_closed() {
    var broken = new IllegalArgumentException("broken");

    assertThatThrownBy(
            () -> {
              try (var nursery = Nursery.open("unseen")) {
                nursery.launch(
                    "bad",
                    _ -> {
                      throw broken;
                    });
                nursery.seal();
              }
            })
        .isInstanceOf(NurseryFailed.class)
        .hasCause(broken);
  }

  @Test
  void a_block_that_throws_cancels_the_children_it_has_spawned() throws InterruptedException {
    var broken = new IllegalArgumentException("broken");

    var result =
        Nursery.run(
            NurseryOptions.named("block"),
            nursery -> {
              nursery.launch("child", _ -> new CountDownLatch(1).await());
              throw broken;
            });

    assertThat(((NurseryResult.Failed) result).first())
        .isEqualTo(new ChildError("block of block", broken));
  }

  @Test
  void a_block_that_returns_waits_for_its_children() throws InterruptedException {
    var result = Nursery.run(NurseryOptions.named("block"), n -> n.spawn("child", () -> 1));

    assertThat(result).isEqualTo(new NurseryResult.Success());
  }
}
