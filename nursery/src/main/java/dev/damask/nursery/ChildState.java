package dev.damask.nursery;

/// Where a child stands.
public enum ChildState {
  /// Its code runs.
  RUNNING,
  /// It was told to stop, and its code still runs.
  CANCELLING,
  /// Its code has returned; its cleanups run.
  CLEANING_UP,
  /// It was told to stop, and did not within the grace period.
  OVERDUE,
  /// It is home.
  ENDED
}
