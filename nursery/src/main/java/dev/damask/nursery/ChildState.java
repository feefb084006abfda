package dev.damask.nursery;

/// The state of a child.
public enum ChildState {
  /// Its code runs.
  RUNNING,
  /// It was cancelled, and its code still runs.
  CANCELLING,
  /// Its code has returned; its cleanups run.
  CLEANING_UP,
  /// It was cancelled and has not stopped within the grace period.
  OVERDUE,
  /// It has ended.
  ENDED
}
