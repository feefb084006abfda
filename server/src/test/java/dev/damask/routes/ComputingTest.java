package dev.damask.routes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.api.Problem;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class ComputingTest {
  @Test
  void a_request_whose_turn_does_not_come_is_refused_and_the_next_one_is_not()
      throws InterruptedException {
    Computing computing = new Computing(1, Duration.ofMillis(20), Duration.ofSeconds(20));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Thread other =
        Thread.ofVirtual()
            .start(() -> {
              try {
                var _ =
                    computing.limited(_ -> {
                      begun.countDown();
                      try {
                        end.await();
                      } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                      }
                      return 1;
                    });
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    begun.await();

    assertThatThrownBy(() -> computing.limited(_ -> 2))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(Problem.Kind.TOO_MANY));
    end.countDown();
    other.join();

    int again = computing.limited(_ -> 3);
    assertThat(again).isEqualTo(3);
  }

  @Test
  void an_action_ends_at_the_first_step_after_its_time() {
    Computing computing = new Computing(1, Duration.ofSeconds(1), Duration.ZERO);

    assertThatThrownBy(() ->
            computing.limited(budget -> {
              while (true) {
                budget.run();
              }
            }))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(Problem.Kind.INVALID));
  }
}
