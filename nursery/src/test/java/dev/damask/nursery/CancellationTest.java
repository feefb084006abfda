package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Telling children to stop (N6, N7).
@ExtendWith(NoThreadLeft.class)
class CancellationTest {

  @ParameterizedTest
  @EnumSource(ThreadKind.class)
  void a_blocked_child_is_interrupted_and_finds_the_reason(ThreadKind kind)
      throws InterruptedException {
    var nursery = Nursery.open(NurseryOptions.named("blocked").withThreads(kind));
    var found = new AtomicReference<Boolean>();
    var child =
        nursery.launch(
            "child",
            self -> {
              try {
                new CountDownLatch(1).await();
              } finally {
                found.set(self.isCancelled());
              }
            });
    Until.isParked(child);

    nursery.cancel("enough");
    var _ = nursery.awaitAll();

    assertThat(found.get()).isTrue();
    assertThat(child.await()).isInstanceOf(ChildResult.Cancelled.class);
  }

  @Test
  void a_child_that_returns_although_it_was_told_to_stop_keeps_its_value()
      throws InterruptedException {
    var nursery = Nursery.open("value");
    var isUp = new CountDownLatch(1);
    var child =
        nursery.spawn(
            "child",
            self -> {
              isUp.countDown();
              Until.isTrue(self::isCancelled);
              return 7;
            });
    isUp.await();

    nursery.cancel("enough");
    var result = nursery.awaitAll();

    assertThat(child.value()).isEqualTo(7);
    assertThat(result).isInstanceOf(NurseryResult.Cancelled.class);
  }

  @Test
  void a_cancelled_nursery_refuses_children_and_cannot_be_cancelled_again()
      throws InterruptedException {
    var nursery = Nursery.open("once");
    var first = nursery.cancel("first");
    var second = nursery.cancel("second");

    assertThat(first).isTrue();
    assertThat(second).isFalse();
    assertThatThrownBy(() -> nursery.spawn("late", () -> 1)).isInstanceOf(SpawnRefused.class);
    assertThat(nursery.awaitAll())
        .isEqualTo(new NurseryResult.Cancelled(CancelReason.explicit("first")));
  }

  @Test
  void a_closed_nursery_cannot_be_cancelled() throws InterruptedException {
    var nursery = Nursery.open("closed");
    var _ = nursery.awaitAll();

    var isCancelled = nursery.cancel("too late");

    assertThat(isCancelled).isFalse();
    assertThat(nursery.token().isCancelled()).isFalse();
    assertThat(nursery.state()).isEqualTo(NurseryState.CLOSED);
  }

  @Test
  void cancelling_while_closing_ends_the_children_that_are_left() throws InterruptedException {
    var nursery = Nursery.open("closing");
    nursery.launch("child", _ -> new CountDownLatch(1).await());
    nursery.seal();

    nursery.cancel("enough");
    var result = nursery.awaitAll();

    assertThat(result).isInstanceOf(NurseryResult.Cancelled.class);
    assertThat(nursery.state()).isEqualTo(NurseryState.CANCELLED);
  }

  @Test
  void one_child_can_be_cancelled_without_the_others() throws InterruptedException {
    var nursery = Nursery.open("one");
    var isFree = new CountDownLatch(1);
    var stays = nursery.launch("stays", _ -> isFree.await());
    var goes = nursery.launch("goes", _ -> new CountDownLatch(1).await());

    var isTold = goes.cancel(CancelReason.explicit("you"));
    var end = goes.await();
    isFree.countDown();

    assertThat(isTold).isTrue();
    assertThat(end).isEqualTo(new ChildResult.Cancelled<>(CancelReason.explicit("you")));
    assertThat(nursery.awaitAll()).isEqualTo(new NurseryResult.Success());
    assertThat(stays.await()).isInstanceOf(ChildResult.Done.class);
    assertThatThrownBy(goes::value).isInstanceOf(NurseryCancelled.class);
  }

  @Test
  void a_child_may_cancel_its_own_nursery() throws InterruptedException {
    var nursery = Nursery.open("own");
    nursery.launch("other", _ -> new CountDownLatch(1).await());
    nursery.launch(
        "canceller",
        self -> {
          nursery.cancel("from inside");
          self.checkCancelled();
        });

    var result = nursery.awaitAll();

    assertThat(result).isEqualTo(new NurseryResult.Cancelled(CancelReason.explicit("from inside")));
  }

  @Test
  void a_deadline_cancels_the_nursery_with_the_reason_timeout() throws InterruptedException {
    var options = NurseryOptions.named("slow").withTimeout(Duration.ofMillis(5));
    var nursery = Nursery.open(options);
    // On a busy machine the time may be over before the child comes: then it is refused.
    var _ =
        nursery.trySpawn(ChildOptions.named("child"), _ -> new SynchronousQueue<Integer>().take());

    var result = nursery.awaitAll();

    assertThat(((NurseryResult.Cancelled) result).reason().kind())
        .isEqualTo(CancelReason.Kind.TIMEOUT);
  }

  @Test
  void a_deadline_of_one_child_cancels_that_child_alone() throws InterruptedException {
    var nursery = Nursery.open("slow");
    var options = ChildOptions.named("child").withTimeout(Duration.ofMillis(200));
    var child = nursery.launch(options, _ -> new CountDownLatch(1).await());

    var result = nursery.awaitAll();

    assertThat(result)
        .isEqualTo(new NurseryResult.Cancelled(CancelReason.timeout("child child: PT0.2S passed")));
    assertThat(nursery.state()).isEqualTo(NurseryState.CLOSED);
    assertThat(((ChildResult.Cancelled<?>) child.await()).reason().kind())
        .isEqualTo(CancelReason.Kind.TIMEOUT);
  }

  @Test
  void a_nursery_follows_the_token_it_was_opened_with() throws InterruptedException {
    var token = CancelToken.create();
    var nursery = Nursery.open(NurseryOptions.named("follows"), token);
    nursery.launch("child", _ -> new CountDownLatch(1).await());

    token.cancel(CancelReason.explicit("all of you"));
    var result = nursery.awaitAll();

    assertThat(result)
        .isEqualTo(new NurseryResult.Cancelled(CancelReason.parent("explicit: all of you")));
  }

  @Test
  void an_interruption_wrapped_in_another_exception_counts_as_stopping()
      throws InterruptedException {
    var nursery = Nursery.open("wrapped");
    var child =
        nursery.launch(
            "child",
            _ -> {
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                throw new UncheckedIOException(new ClosedByInterruptException());
              }
            });
    Until.isParked(child);

    nursery.cancel("enough");

    assertThat(nursery.awaitAll()).isInstanceOf(NurseryResult.Cancelled.class);
  }

  @Test
  void a_time_out_of_a_socket_is_an_error_also_in_a_cancelled_child() throws InterruptedException {
    var nursery = Nursery.open("socket");
    var isUp = new CountDownLatch(1);
    nursery.launch(
        "child",
        self -> {
          isUp.countDown();
          Until.isTrue(self::isCancelled);
          throw new SocketTimeoutException("slow peer");
        });
    isUp.await();

    nursery.cancel("enough");
    var result = nursery.awaitAll();

    assertThat(result).isInstanceOf(NurseryResult.Failed.class);
  }

  @Test
  void a_child_that_was_not_cancelled_and_throws_a_cancellation_has_failed()
      throws InterruptedException {
    var nursery = Nursery.open("foreign");
    nursery.launch(
        "child",
        _ -> {
          throw new CancellationException("of something else");
        });

    assertThat(nursery.awaitAll()).isInstanceOf(NurseryResult.Failed.class);
  }

  @Test
  void no_interrupt_reaches_a_cleanup_that_runs_because_of_a_cancellation()
      throws InterruptedException {
    var nursery = Nursery.open("cleanup");
    var wasInterrupted = new AtomicBoolean();
    var isUp = new CountDownLatch(1);
    var child =
        nursery.launch(
            "child",
            self -> {
              self.deferred(() -> wasInterrupted.set(Thread.currentThread().isInterrupted()));
              self.deferred(self::checkCancelled);
              isUp.countDown();
              Until.isTrue(self::isCancelled);
            });
    isUp.await();

    nursery.cancel("enough");
    var _ = nursery.awaitAll();

    assertThat(wasInterrupted).isFalse();
    assertThat(child.await()).isNotInstanceOf(ChildResult.Failed.class);
  }

  @Test
  void a_callback_that_throws_keeps_no_other_child_from_being_told() throws InterruptedException {
    var nursery = Nursery.open("callbacks");
    var isUp = new CountDownLatch(2);
    for (int i = 0; i < 2; i++) {
      nursery.launch(
          "child " + i,
          self -> {
            self.cancelToken()
                .onCancel(_ -> {
                  throw new IllegalArgumentException("broken callback");
                });
            isUp.countDown();
            new CountDownLatch(1).await();
          });
    }
    isUp.await();

    assertThatThrownBy(() -> nursery.cancel("enough"))
        .hasMessage("broken callback")
        .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasSize(1));

    assertThat(nursery.awaitAll()).isInstanceOf(NurseryResult.Cancelled.class);
  }
}
