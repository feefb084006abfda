package dev.damask.exec;

/// How a case answered an input. None of these damages the case.
public enum Reply {
  ACCEPTED,
  /// Nobody waited for the signal and its place keeps nothing.
  LOST,
  /// Nobody waited for the signal; its place keeps it.
  BUFFERED,
  /// The case does not take this: no such place, a closed set of instances, a full place.
  REJECTED,
  /// The task has already ended.
  LATE,
  NO_SUCH_REGION,
  CASE_ENDED
}
