package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What closing a store does about readers.
@Timeout(30)
final class OpenGateTest {

  @Test
  void closing_waits_for_a_reader_that_leaves() throws Exception {
    OpenGate gate = new OpenGate(Duration.ofSeconds(20));
    gate.enter();
    gate.enter();
    CompletableFuture<Boolean> closed = CompletableFuture.supplyAsync(gate::close);
    while (isOpen(gate)) {
      LockSupport.parkNanos(100_000);
    }

    assertThat(closed).isNotDone();
    gate.leave();
    gate.leave();

    assertThat(closed.get(20, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(gate::enter)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void closing_gives_up_on_a_reader_that_stays_and_admits_no_other() throws Exception {
    OpenGate gate = new OpenGate(Duration.ofMillis(50));
    CountDownLatch isInside = new CountDownLatch(1);
    CountDownLatch isDone = new CountDownLatch(1);
    Thread reader =
        Thread.ofVirtual()
            .start(() -> {
              gate.enter();
              isInside.countDown();
              await(isDone);
              gate.leave();
            });
    isInside.await();

    boolean isClosed = gate.close();

    assertThat(isClosed).isFalse();
    assertThatThrownBy(gate::enter).isInstanceOf(StoreException.class);
    isDone.countDown();
    reader.join();
    assertThat(OpenGate.WAIT).isEqualTo(Duration.ofSeconds(5)); // docs/promises.md names it
  }

  private static boolean isOpen(OpenGate gate) {
    try {
      gate.requireOpen();
      return true;
    } catch (StoreException e) {
      return false;
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
