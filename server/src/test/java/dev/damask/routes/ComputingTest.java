package dev.damask.routes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.api.Caller;
import dev.damask.api.Problem;
import dev.damask.api.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class ComputingTest {
  private static final Caller ANNA = Caller.of("anna", Role.OPERATOR);

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
                    computing.limited(
                        ANNA,
                        _ -> {
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

    assertThatThrownBy(() -> computing.limited(ANNA, _ -> 2))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(Problem.Kind.TOO_MANY));
    end.countDown();
    other.join();

    int again = computing.limited(ANNA, _ -> 3);
    assertThat(again).isEqualTo(3);
  }

  @Test
  void an_action_ends_at_the_first_step_after_its_time() {
    Computing computing = new Computing(1, Duration.ofSeconds(1), Duration.ZERO);

    assertThatThrownBy(() ->
            computing.limited(
                ANNA,
                budget -> {
                  while (true) {
                    budget.run();
                  }
                }))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(Problem.Kind.INVALID));
  }

  @Test
  void many_requests_of_one_token_delay_another_token_by_one_only() throws InterruptedException {
    Computing computing = new Computing(1, Duration.ofSeconds(20), Duration.ofSeconds(20));
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch end = new CountDownLatch(1);
    List<Thread> all = new ArrayList<>();
    all.add(computing(computing, ANNA, () -> await(end), order));
    while (order.isEmpty()) {
      LockSupport.parkNanos(10_000);
    }
    for (int i = 1; i <= 20; i++) {
      all.add(computing(computing, ANNA, () -> {}, order));
      awaitWaiting(computing, i);
    }
    all.add(computing(computing, Caller.of("bert", Role.OPERATOR), () -> {}, order));
    awaitWaiting(computing, 21);

    end.countDown();
    for (Thread each : all) {
      each.join();
    }

    assertThat(order).hasSize(22);
    assertThat(order.indexOf("bert")).isEqualTo(2);
    assertThat(computing.waiting()).isZero();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitWaiting(Computing computing, int count) {
    while (computing.waiting() < count) {
      LockSupport.parkNanos(10_000);
    }
  }

  private static Thread computing(
      Computing computing, Caller caller, Runnable action, List<String> order) {
    return Thread.ofVirtual()
        .start(() -> {
          try {
            var _ =
                computing.limited(
                    caller,
                    _ -> {
                      order.add(caller.name());
                      action.run();
                      return order.size();
                    });
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }
}
