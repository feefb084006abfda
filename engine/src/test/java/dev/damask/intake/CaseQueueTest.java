package dev.damask.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.Input;
import dev.damask.value.Context;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// The inputs that wait for a case, and their weight.
final class CaseQueueTest {
  private final CaseQueue queue = new CaseQueue();

  private static Request.Feed signal(int size) {
    Context payload = Context.of("text", "x".repeat(size));
    return feed(new Input.Signal("p", payload));
  }

  private static Request.Feed feed(Input input) {
    return new Request.Feed("one", input, null, new CompletableFuture<>());
  }

  private long sum() {
    return queue.list().stream().mapToLong(CaseQueue::weight).sum();
  }

  @Test
  void the_weight_is_that_of_what_waits() {
    queue.addLast(signal(1_000));
    queue.addFirst(signal(20));
    queue.addLast(feed(new Input.Kill("case", false)));
    queue.addLast(signal(300));
    assertThat(queue.weight()).isEqualTo(sum()).isGreaterThan(1_320);

    assertThat(queue.takeKill()).isNotNull();
    assertThat(queue.pollFirst()).isNotNull();
    assertThat(queue.size()).isEqualTo(2);
    assertThat(queue.weight()).isEqualTo(sum()).isGreaterThan(1_300);

    queue.clear();
    assertThat(queue.weight()).isZero();
    assertThat(queue.pollFirst()).isNull();
    assertThat(queue.weight()).isZero();
  }
}
