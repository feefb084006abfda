package dev.damask.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The inbox of a shard when many want in.
final class InboxTest {
  private static final int CALLERS = 500;

  private final Inbox inbox = new Inbox(3, false);
  private final AtomicInteger accepted = new AtomicInteger();

  private List<Thread> callers() {
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      callers.add(
          Thread.startVirtualThread(() -> {
            if (inbox.put(new Request.Rescan(new CompletableFuture<>()))) {
              accepted.incrementAndGet();
            }
          }));
    }
    return callers;
  }

  @Test
  @Timeout(value = 30, unit = TimeUnit.SECONDS)
  void everybody_who_waits_for_a_place_gets_one() throws InterruptedException {
    List<Thread> callers = callers();
    List<Request> taken = new ArrayList<>();
    while (taken.size() < CALLERS) {
      List<Request> some = new ArrayList<>();
      inbox.await(true, TimeUnit.SECONDS.toNanos(10));
      inbox.take(some, 2);
      assertThat(some).hasSizeBetween(1, 2);
      taken.addAll(some);
    }

    for (Thread caller : callers) {
      assertThat(caller.join(Duration.ofSeconds(10))).isTrue();
    }
    assertThat(accepted).hasValue(CALLERS);
    assertThat(inbox.size()).isZero();
  }

  @Test
  @Timeout(value = 30, unit = TimeUnit.SECONDS)
  void nobody_waits_for_a_place_in_a_closed_inbox() throws InterruptedException {
    List<Thread> callers = callers();
    inbox.close();

    for (Thread caller : callers) {
      assertThat(caller.join(Duration.ofSeconds(10))).isTrue();
    }
    assertThat(accepted.get()).isEqualTo(inbox.size()).isLessThanOrEqualTo(3);
  }

  @Test
  void closing_ends_one_wait_and_not_the_next() throws InterruptedException {
    inbox.close();
    inbox.await(true, Long.MAX_VALUE);

    long begin = System.nanoTime();
    inbox.await(true, TimeUnit.MILLISECONDS.toNanos(20));

    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
  }
}
