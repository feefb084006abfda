package dev.damask.ops;

import dev.damask.store.Store;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// The cases that have ended, in the order in which their ends became durable. A reader that keeps
/// the cursor of the last case it has processed misses none and continues after a restart. One
/// thread may use it at a time.
public final class EndedCases implements AutoCloseable {
  private static final int PAGE = 100;

  /// How often the store is read although no case of this engine has ended: other nodes end cases.
  private static final long POLL_MILLIS = 1_000;

  private final Pages pages;
  private final Semaphore changes = new Semaphore(0);
  private final CaseListeners.Subscription subscription;
  private final ArrayDeque<Store.EndedCase> page = new ArrayDeque<>();
  private String cursor;

  /// Reads the cases after a cursor.
  @FunctionalInterface
  public interface Pages {
    /// Returns at most so many cases.
    List<Store.EndedCase> read(String after, int limit);
  }

  /// @param listeners notify it of ends in this engine
  public EndedCases(Pages pages, CaseListeners listeners, String after) {
    this.pages = pages;
    this.cursor = after;
    this.subscription =
        listeners.add(
            null,
            event -> {
              if (event.status().isEnded()) {
                changes.release();
              }
            });
  }

  /// The cursor of the last case that was returned; the one it was opened with before the first.
  public String cursor() {
    return cursor;
  }

  /// Returns the next case; empty if no further case has ended yet.
  public Optional<Store.EndedCase> poll() {
    if (page.isEmpty()) {
      changes.drainPermits();
      page.addAll(pages.read(cursor, PAGE));
    }
    Store.EndedCase next = page.pollFirst();
    if (next != null) {
      cursor = next.cursor();
    }
    return Optional.ofNullable(next);
  }

  /// Waits for the next case; empty if none has ended when the time is up. Throws
  /// `IllegalStateException` if the engine is closed.
  public Optional<Store.EndedCase> poll(Duration time) throws InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    Optional<Store.EndedCase> next = poll();
    while (next.isEmpty() && System.nanoTime() < end) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()) + 1;
      boolean _ = changes.tryAcquire(Math.min(left, POLL_MILLIS), TimeUnit.MILLISECONDS);
      next = poll();
    }
    return next;
  }

  /// Stops to wait for cases.
  @Override
  public void close() {
    subscription.close();
  }
}
