package dev.damask.nursery;

import java.util.concurrent.CancellationException;

/// Thrown to stop cancelled code. A child that propagates it has acknowledged its cancellation.
public final class NurseryCancelled extends CancellationException {
  private static final long serialVersionUID = 1L;

  private final transient CancelReason reason;

  NurseryCancelled(String who, CancelReason reason) {
    super(who + " was cancelled: " + reason.text());
    this.reason = reason;
  }

  /// Returns the reason for the cancellation.
  public CancelReason reason() {
    return reason;
  }
}
