package dev.damask.nursery;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Waits for something another thread is about to do and of which it gives no signal.
final class Until {
  private static final long PAUSE_NANOS = 50_000;

  private Until() {}

  /// Parks between two looks: virtual threads that only yield can keep others from starting.
  static void isTrue(BooleanSupplier condition) {
    boolean wasInterrupted = false; // an interrupted thread would not park
    while (!condition.getAsBoolean()) {
      wasInterrupted |= Thread.interrupted();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Until the child's thread is parked.
  static void isParked(Child<?> child) {
    var thread = ((RunningChild<?>) child).thread();
    isTrue(() ->
        thread != null
            && (thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING));
  }
}
