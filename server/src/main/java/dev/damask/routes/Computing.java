package dev.damask.routes;

import dev.damask.api.Problem;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Bounds what requests compute: how many compute at a time, how long a request waits for its turn,
/// and how long it computes.
final class Computing {
  private static final Duration WAIT = Duration.ofSeconds(5);
  private static final Duration RUN = Duration.ofSeconds(5);

  private final Semaphore places;
  private final Duration wait;
  private final Duration run;

  /// Half of the processors compute, so that cases and other requests continue.
  Computing() {
    this(Math.max(1, Runtime.getRuntime().availableProcessors() / 2), WAIT, RUN);
  }

  Computing(int places, Duration wait, Duration run) {
    this.places = new Semaphore(places);
    this.wait = wait;
    this.run = run;
  }

  /// What a request computes.
  interface Action<T> {
    /// Computes, and calls `budget` between steps; it throws when the time has passed.
    T run(Runnable budget);
  }

  /// Runs an action. Throws [Problem] if others compute for too long, or the action does.
  <T> T limited(Action<T> action) throws InterruptedException {
    if (!places.tryAcquire(wait.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new Problem(Problem.Kind.TOO_MANY, "too many requests compute; try again later");
    }
    try {
      long end = System.nanoTime() + run.toNanos();
      return action.run(() -> require(end));
    } finally {
      places.release();
    }
  }

  private void require(long end) {
    if (System.nanoTime() - end > 0) {
      throw new Problem(
          Problem.Kind.INVALID,
          "the computation has not ended after %s; the case does not come to a wait"
              .formatted(run));
    }
  }
}
