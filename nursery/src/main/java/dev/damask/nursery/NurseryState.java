package dev.damask.nursery;

/// The five states of a nursery. The only ways between them are `OPEN → CLOSING → CLOSED`, `OPEN →
/// CANCELLING → CANCELLED` and `CLOSING → CANCELLING`.
public enum NurseryState {
  /// Accepts children.
  OPEN,
  /// Accepts no more children and waits for those it has.
  CLOSING,
  /// Has told its children to stop and waits for them to come home.
  CANCELLING,
  /// Every child has ended and nobody cancelled.
  CLOSED,
  /// Every child has ended after a cancellation.
  CANCELLED;

  /// Whether no transition leads out of this state.
  public boolean isTerminal() {
    return this == CLOSED || this == CANCELLED;
  }
}
