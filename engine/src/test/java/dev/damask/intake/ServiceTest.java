package dev.damask.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.store.StoreException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A thread of the engine that fails begins again.
@Timeout(20)
final class ServiceTest {
  private final CountDownLatch closed = new CountDownLatch(1);

  @Test
  void a_service_begins_again_whatever_it_throws() throws Exception {
    ArrayDeque<Throwable> failures =
        new ArrayDeque<>(
            List.of(new StoreException("away"), new ClassCastException(), new AssertionError()));
    int[] begun = {0};

    Service.run(
        "test",
        closed,
        () -> false,
        () -> {
          begun[0]++;
          switch (failures.poll()) {
            case null -> {}
            case Error error -> throw error;
            case Throwable thrown -> throw (RuntimeException) thrown;
          }
        });

    assertThat(begun[0]).isEqualTo(4);
  }

  @Test
  void a_service_without_memory_stops_the_engine() {
    assertThatThrownBy(() ->
            Service.run(
                "test",
                closed,
                () -> false,
                () -> {
                  throw new OutOfMemoryError("made up");
                }))
        .isInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void a_service_of_an_engine_that_is_closed_or_has_stopped_ends() throws Exception {
    Service failing =
        () -> {
          throw new StoreException("away");
        };
    Service.run("test", closed, () -> true, failing);
    closed.countDown();
    Service.run("test", closed, () -> false, failing);
  }
}
