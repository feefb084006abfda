package dev.damask.cli;

/// What the commands return to the shell.
final class Exit {
  static final int OK = 0;

  /// A scenario fails, a workflow is unsound, a replay diverges.
  static final int DIFFERENT = 1;

  static final int INVALID = 2;
  static final int FAILED = 3;

  /// A check that came to no verdict.
  static final int UNKNOWN = 3;

  static final int CANCELLED = 4;

  /// Only events from outside could move the case on, or nothing could.
  static final int WAITING = 5;

  /// Our own fault.
  static final int INTERNAL = 70;

  private Exit() {}
}
