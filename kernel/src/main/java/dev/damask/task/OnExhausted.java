package dev.damask.task;

/// What happens to a task whose attempts are used up.
public enum OnExhausted {
  /// The task fails.
  FAIL,
  /// The task waits as an incident, until an operator retries it, skips it with a result, or fails
  /// it.
  PARK
}
