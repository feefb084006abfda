package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// A committer with little stack left must not write, because an overflow in a write stops the
/// store.
final class StackProbeTest {
  @Test
  void a_thread_has_room_until_its_stack_is_nearly_full() throws InterruptedException {
    AtomicReference<@Nullable Boolean> atTheEnd = new AtomicReference<>();
    Thread deep = new Thread(null, () -> descend(atTheEnd), "deep", 256 << 10);
    deep.start();
    deep.join();

    assertThat(StackProbe.hasRoom()).isTrue();
    assertThat(atTheEnd.get()).isFalse();
  }

  /// Asks in the deepest frame that can.
  @SuppressWarnings("InfiniteRecursion") // until the stack is full
  private static void descend(AtomicReference<@Nullable Boolean> answer) {
    try {
      descend(answer);
    } catch (StackOverflowError e) {
      answer.compareAndSet(null, StackProbe.hasRoom());
    }
  }
}
