package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/// Tokens without a nursery.
class CancelTokenTest {

  private static final CancelReason WHY = CancelReason.explicit("test");

  @Test
  void a_token_is_cancelled_once_and_keeps_the_first_reason() {
    var token = CancelToken.create();

    var first = token.cancel(WHY);
    var second = token.cancel(CancelReason.explicit("other"));

    assertThat(first).isTrue();
    assertThat(second).isFalse();
    assertThat(token.reason()).contains(WHY);
    assertThatThrownBy(token::throwIfCancelled).isInstanceOf(NurseryCancelled.class);
  }

  @Test
  void callbacks_run_in_the_order_they_were_given() {
    var token = CancelToken.create();
    var log = new ArrayList<String>();
    token.onCancel(why -> log.add("first " + why.detail()));
    token.onCancel(why -> log.add("second " + why.detail()));

    token.cancel(WHY);

    assertThat(log).containsExactly("first test", "second test");
  }

  @Test
  void a_callback_given_to_a_cancelled_token_runs_at_once() {
    var token = CancelToken.create();
    var log = new ArrayList<CancelReason>();
    token.cancel(WHY);

    token.onCancel(log::add);

    assertThat(log).containsExactly(WHY);
  }

  @Test
  void a_callback_that_was_taken_back_does_not_run() {
    var token = CancelToken.create();
    var log = new ArrayList<CancelReason>();
    var registration = token.onCancel(log::add);

    registration.close();
    token.cancel(WHY);

    assertThat(log).isEmpty();
  }

  @Test
  void cancelling_a_parent_cancels_what_is_below_it_and_not_the_other_way() {
    var parent = CancelToken.create();
    var child = parent.child();
    var grandchild = child.child();
    var other = parent.child();

    other.cancel(WHY);
    var before = parent.isCancelled();
    parent.cancel(WHY);

    assertThat(before).isFalse();
    assertThat(child.reason()).contains(CancelReason.parent("explicit: test"));
    assertThat(grandchild.reason()).contains(CancelReason.parent("explicit: test"));
    assertThat(other.reason()).contains(WHY);
    assertThat(grandchild.parent()).contains(child);
  }

  @Test
  void a_token_below_a_cancelled_one_is_cancelled_from_the_start() {
    var parent = CancelToken.create();
    parent.cancel(WHY);

    var child = parent.child();

    assertThat(child.isCancelled()).isTrue();
  }

  @Test
  void a_parent_forgets_tokens_that_are_cancelled_or_retired() {
    var parent = CancelToken.create();
    var cancelled = parent.child();
    var retired = parent.child();

    cancelled.cancel(WHY);
    retired.retire();

    assertThat(parent.callbacks()).isZero();
  }

  @Test
  void a_deadline_cancels_with_the_reason_timeout() throws InterruptedException {
    var token = CancelToken.create();
    var isCancelled = new CountDownLatch(1);
    token.onCancel(_ -> isCancelled.countDown());

    token.cancelAfter(Duration.ofMillis(5));
    isCancelled.await();

    assertThat(token.reason().orElseThrow().kind()).isEqualTo(CancelReason.Kind.TIMEOUT);
  }

  @Test
  void of_several_deadlines_the_earliest_holds() {
    var parent = CancelToken.create();
    var token = parent.child();

    token.cancelAfter(Duration.ofHours(2));
    token.cancelAfter(Duration.ofHours(1));
    token.cancelAfter(Duration.ofHours(3));
    var own = token.timeLeft().orElseThrow();
    parent.cancelAfter(Duration.ofMinutes(1));
    var inherited = token.timeLeft().orElseThrow();

    assertThat(own).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    assertThat(inherited).isLessThanOrEqualTo(Duration.ofMinutes(1));
    token.retire();
    parent.retire();
    assertThat(parent.timeLeft()).isEmpty();
  }

  @Test
  void every_callback_runs_although_one_throws() {
    var token = CancelToken.create();
    var log = new ArrayList<CancelReason>();
    token.onCancel(_ -> {
      throw new IllegalArgumentException("broken");
    });
    token.onCancel(log::add);

    assertThatThrownBy(() -> token.cancel(WHY)).hasMessage("broken");

    assertThat(log).containsExactly(WHY);
  }

  @Test
  void tokens_do_not_nest_without_end() {
    var token = CancelToken.create();
    for (int i = 1; i < CancelToken.DEPTH_MAX; i++) {
      token = token.child();
    }
    var deepest = token;

    assertThatThrownBy(deepest::child).isInstanceOf(IllegalStateException.class);
  }
}
