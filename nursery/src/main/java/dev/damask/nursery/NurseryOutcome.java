package dev.damask.nursery;

import org.jspecify.annotations.Nullable;

/// Computes the result of a nursery: its errors first, then its cancellation, then the deadlines of
/// its children.
final class NurseryOutcome {

  /// The reason for children that still run when their nursery is closed without waiting.
  static final CancelReason CUT_SHORT = CancelReason.parent("closed before awaitAll was called");

  private final Errors errors;

  // both written by children at their end, read by the threads that finish and close
  private volatile @Nullable CancelReason timedOut; // null: no child missed its own deadline
  private volatile boolean isCutShort;

  NurseryOutcome(Errors errors) {
    this.errors = errors;
  }

  /// Records that a child stopped without a value.
  void stopped(String child, CancelReason why) {
    if (why == CUT_SHORT) {
      isCutShort = true;
    }
    if (why.kind() == CancelReason.Kind.TIMEOUT && timedOut == null) {
      timedOut = CancelReason.timeout("child " + child + ": " + why.detail());
    }
  }

  /// Returns whether closing the nursery has stopped a child.
  boolean isCutShort() {
    return isCutShort;
  }

  NurseryResult result(NurseryState state, CancelToken token) {
    ChildError first = errors.first();
    if (first != null) {
      return new NurseryResult.Failed(first, errors.all());
    }
    CancelReason why = state == NurseryState.CANCELLED ? token.settledReason() : timedOut;
    return why == null ? new NurseryResult.Success() : new NurseryResult.Cancelled(why);
  }
}
