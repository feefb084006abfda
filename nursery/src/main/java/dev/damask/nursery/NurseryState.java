package dev.damask.nursery;

/// The five states of a nursery. The only transitions are `OPEN → CLOSING → CLOSED`, `OPEN →
/// CANCELLING → CANCELLED` and `CLOSING → CANCELLING`.
public enum NurseryState {
  /// Accepts children.
  OPEN,
  /// Accepts no more children and waits for those it has.
  CLOSING,
  /// Has cancelled its children and waits until they have ended.
  CANCELLING,
  /// Every child has ended without a cancellation of the nursery.
  CLOSED,
  /// Every child has ended after a cancellation.
  CANCELLED;

  /// Returns whether this state is final.
  public boolean isTerminal() {
    return this == CLOSED || this == CANCELLED;
  }
}
