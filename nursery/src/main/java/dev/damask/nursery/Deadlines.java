package dev.damask.nursery;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Deadlines and grace periods, on one daemon thread for all nurseries of the JVM.
///
/// The thread is separate from the JDK's common pool: there a deadline waits until a worker is
/// free. It must not run user code or block; longer actions start a thread. It ends after it has
/// been idle for a while. A timer that is cancelled is removed at once.
final class Deadlines {

  static final String THREAD_NAME = "nursery-timers";

  private static final Duration LONGEST = Duration.ofDays(36_500);
  private static final ScheduledThreadPoolExecutor SCHEDULER = scheduler();

  private Deadlines() {}

  private static ScheduledThreadPoolExecutor scheduler() {
    var threads =
        Thread.ofPlatform().name(THREAD_NAME).daemon().inheritInheritableThreadLocals(false);
    var scheduler = new ScheduledThreadPoolExecutor(1, threads.factory());
    scheduler.setRemoveOnCancelPolicy(true);
    scheduler.setKeepAliveTime(10, TimeUnit.SECONDS);
    scheduler.allowCoreThreadTimeOut(true);
    return scheduler;
  }

  /// Runs the action once after the delay, unless the returned future is cancelled before.
  static Future<?> after(Duration delay, Runnable action) {
    return SCHEDULER.schedule(() -> run(action), nanos(delay), TimeUnit.NANOSECONDS);
  }

  /// Returns the number of pending timers.
  static int waiting() {
    return SCHEDULER.getQueue().size();
  }

  static boolean isOwnThread() {
    return Thread.currentThread().getName().equals(THREAD_NAME);
  }

  /// Returns the duration in nanoseconds, at least zero and small enough to be added to
  /// `System.nanoTime()`.
  static long nanos(Duration duration) {
    if (duration.isNegative()) {
      return 0;
    }
    return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
  }

  /// Runs the action and logs its exception, because no caller reads the future.
  private static void run(Runnable action) {
    try {
      action.run();
    } catch (Throwable thrown) {
      Errors.warn("nursery timer failed", thrown);
    }
  }
}
