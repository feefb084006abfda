package dev.damask.nursery;

import java.util.concurrent.CancellationException;

/// Thrown where cancelled code stops. A child that lets it pass has acknowledged its cancellation.
public final class NurseryCancelled extends CancellationException {
  private static final long serialVersionUID = 1L;

  private final transient CancelReason reason;

  NurseryCancelled(String who, CancelReason reason) {
    super(who + " was cancelled, " + reason.text());
    this.reason = reason;
  }

  /// Why it was cancelled.
  public CancelReason reason() {
    return reason;
  }
}
