package dev.damask.nursery;

import java.time.Duration;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// Deadlines, on the delay scheduler that the JDK runs anyway: the nursery keeps no thread for it.
final class Timers {

  private static final Duration LONGEST = Duration.ofDays(36_500);

  private Timers() {}

  /// Runs the action once after the delay, unless the future is cancelled before.
  static Future<?> after(Duration delay, Runnable action) {
    return ForkJoinPool.commonPool()
        .schedule(() -> run(action), nanos(delay), TimeUnit.NANOSECONDS);
  }

  /// The length of a duration; at least nothing, and at most so much that it can be added to a
  /// reading of the clock.
  static long nanos(Duration duration) {
    if (duration.isNegative()) {
      return 0;
    }
    return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
  }

  /// The pool would keep an exception to itself: nobody asks the future for its result.
  private static void run(Runnable action) {
    try {
      action.run();
    } catch (Throwable thrown) {
      Thread current = Thread.currentThread();
      current.getUncaughtExceptionHandler().uncaughtException(current, thrown);
    }
  }
}
