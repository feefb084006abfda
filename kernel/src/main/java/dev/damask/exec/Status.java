package dev.damask.exec;

/// Where a case stands.
public enum Status {
  /// Some token can move.
  RUNNING,
  /// Only an effect, a timer or a signal from outside can move it on.
  WAITING,
  /// Nothing can move it on; it can still be cancelled.
  DEADLOCKED,
  COMPLETED,
  /// Ended without its main token ever reaching the end.
  CANCELLED,
  FAILED;

  public boolean isEnded() {
    return ordinal() >= COMPLETED.ordinal();
  }
}
