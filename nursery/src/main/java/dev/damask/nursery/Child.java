package dev.damask.nursery;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A child of a nursery as other code sees it. The child's own code uses `Self`.
public sealed interface Child<T extends @Nullable Object> permits RunningChild {

  /// Returns the child's name.
  String name();

  /// Returns the child's state.
  ChildState state();

  /// Returns the child's result if it has ended.
  Optional<ChildResult<T>> tryResult();

  /// Waits until the child and its cleanups have ended, and returns the result.
  ChildResult<T> await() throws InterruptedException;

  /// Returns the child's value. Throws `IllegalStateException` if the child has not ended or has
  /// failed, and `NurseryCancelled` if it was cancelled.
  T value();

  /// Cancels this child only: sets its token and interrupts it. Returns false if it was cancelled
  /// before or has ended. The nursery does not fail if the child stops because of this.
  boolean cancel(CancelReason reason);

  /// Returns the budget that the child spends: its own if it was spawned with a grant, otherwise
  /// the nursery's.
  Budget budget();
}
