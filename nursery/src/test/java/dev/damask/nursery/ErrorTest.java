package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Children that fail (N5).
@ExtendWith(NoThreadLeft.class)
class ErrorTest {

  private final IllegalStateException first = new IllegalStateException("first");
  private final IllegalStateException second = new IllegalStateException("second");

  @Test
  void the_first_error_cancels_the_others_with_the_reason_failure() throws InterruptedException {
    var nursery = Nursery.open("default");
    var other = nursery.launch("other", _ -> new CountDownLatch(1).await());
    Until.isParked(other);
    nursery.launch("bad", _ -> fail(first));

    var result = nursery.awaitAll();

    assertThat(((NurseryResult.Failed) result).first().error()).isSameAs(first);
    assertThat(((ChildResult.Cancelled<?>) other.await()).reason().kind())
        .isEqualTo(CancelReason.Kind.FAILURE);
    assertThatThrownBy(result::orThrow).isInstanceOf(NurseryFailed.class).hasCause(first);
  }

  @Test
  void a_later_error_is_a_suppressed_exception_of_the_first() throws InterruptedException {
    var nursery = Nursery.open("suppressed");
    var isUp = new CountDownLatch(1);
    nursery.launch(
        "late",
        self -> {
          isUp.countDown();
          Until.isTrue(self::isCancelled);
          fail(second);
        });
    isUp.await();
    nursery.launch("early", _ -> fail(first));

    var result = (NurseryResult.Failed) nursery.awaitAll();

    assertThat(result.first().error()).isSameAs(first).hasSuppressedException(second);
    assertThat(result.errors()).hasSize(1);
  }

  @Test
  void an_error_after_a_cancellation_beats_it() throws InterruptedException {
    var nursery = Nursery.open("after");
    var isUp = new CountDownLatch(1);
    nursery.launch(
        "bad",
        self -> {
          isUp.countDown();
          Until.isTrue(self::isCancelled);
          fail(first);
        });
    isUp.await();

    nursery.cancel("enough");
    var result = nursery.awaitAll();

    assertThat(((NurseryResult.Failed) result).first().error()).isSameAs(first);
    assertThat(nursery.state()).isEqualTo(NurseryState.CANCELLED);
  }

  @Test
  void an_error_before_a_cancellation_beats_it() throws InterruptedException {
    var options = NurseryOptions.named("before").withPolicy(ErrorPolicy.COLLECT_ALL);
    var nursery = Nursery.open(options);
    nursery.launch("other", _ -> new CountDownLatch(1).await());
    nursery.launch("bad", _ -> fail(first)).await();

    nursery.cancel("enough");
    var result = nursery.awaitAll();

    assertThat(((NurseryResult.Failed) result).first().error()).isSameAs(first);
  }

  @Test
  void collecting_all_errors_lets_the_others_go_on() throws InterruptedException {
    var options = NurseryOptions.named("collect").withPolicy(ErrorPolicy.COLLECT_ALL);
    var nursery = Nursery.open(options);
    nursery.launch("one", _ -> fail(first)).await();
    nursery.launch("two", _ -> fail(second)).await();
    var good = nursery.spawn("good", () -> 1);

    var result = (NurseryResult.Failed) nursery.awaitAll();

    assertThat(result.errors())
        .containsExactly(new ChildError("one", first), new ChildError("two", second));
    assertThat(first).hasSuppressedException(second);
    assertThat(good.value()).isEqualTo(1);
    assertThat(nursery.state()).isEqualTo(NurseryState.CLOSED);
  }

  @Test
  void one_exception_thrown_by_two_children_does_not_suppress_itself() throws InterruptedException {
    var options = NurseryOptions.named("same").withPolicy(ErrorPolicy.COLLECT_ALL);
    var nursery = Nursery.open(options);
    nursery.launch("one", _ -> fail(first));
    nursery.launch("two", _ -> fail(first));

    var result = (NurseryResult.Failed) nursery.awaitAll();

    assertThat(result.errors()).hasSize(2);
    assertThat(first).hasNoSuppressedExceptions();
  }

  @Test
  void an_overflow_of_the_stack_is_an_error_of_the_child_like_any_other()
      throws InterruptedException {
    var nursery = Nursery.open("overflow");
    nursery.spawn("deep", () -> depth(0));

    var result = (NurseryResult.Failed) nursery.awaitAll();

    assertThat(result.first().error()).isInstanceOf(StackOverflowError.class);
  }

  @Test
  void running_out_of_memory_is_an_error_of_the_child_like_any_other() throws InterruptedException {
    var nursery = Nursery.open("memory");
    nursery.launch(
        "greedy",
        _ -> {
          throw new OutOfMemoryError("simulated");
        });

    var result = (NurseryResult.Failed) nursery.awaitAll();

    assertThat(result.first().error()).isInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void the_value_of_a_failed_child_is_refused_with_its_error() throws InterruptedException {
    var nursery = Nursery.open("value");
    var child = nursery.launch("bad", _ -> fail(first));
    var _ = nursery.awaitAll();

    assertThatThrownBy(child::value).isInstanceOf(IllegalStateException.class).hasCause(first);
  }

  @Test
  void the_number_of_suppressed_errors_has_a_bound() {
    var errors = new Errors(NurseryOptions.named("many").withOnError(_ -> {}));
    for (int i = 0; i < Errors.SUPPRESSED_MAX + 500; i++) {
      errors.record(new ChildError("child", i == 0 ? first : new IllegalStateException("later")));
    }

    assertThat(first.getSuppressed()).hasSize(Errors.SUPPRESSED_MAX);
    assertThat(errors.all()).hasSize(1);
  }

  private static void fail(RuntimeException error) {
    throw error;
  }

  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static int depth(int level) {
    return depth(level + 1) + 1;
  }
}
