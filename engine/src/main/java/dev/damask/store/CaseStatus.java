package dev.damask.store;

/// Where a case stands, as the store keeps it.
public enum CaseStatus {
  /// It can still move by itself.
  RUNNING,
  /// Only an effect, a timer or a signal can move it on.
  WAITING,
  /// Nothing can move it on; it can still be cancelled.
  DEADLOCKED,
  /// It broke the engine and was put aside with the evidence.
  QUARANTINED,
  COMPLETED,
  FAILED,
  CANCELLED;

  public boolean isEnded() {
    return ordinal() >= COMPLETED.ordinal();
  }
}
