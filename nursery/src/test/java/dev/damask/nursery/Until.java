package dev.damask.nursery;

import java.util.function.BooleanSupplier;

/// Waits for something another thread is about to do and of which it gives no signal.
final class Until {

  private Until() {}

  @SuppressWarnings("ThreadPriorityCheck") // a test may
  static void isTrue(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.yield();
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
