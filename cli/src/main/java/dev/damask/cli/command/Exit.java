package dev.damask.cli.command;

/// What the commands return to the shell.
public final class Exit {
  public static final int OK = 0;

  /// A scenario fails, a workflow is unsound, a replay diverges.
  public static final int DIFFERENT = 1;

  public static final int INVALID = 2;
  public static final int FAILED = 3;

  /// A check that came to no verdict.
  public static final int UNKNOWN = 3;

  public static final int CANCELLED = 4;

  /// The case waits for external events, or is deadlocked.
  public static final int WAITING = 5;

  /// Our own fault.
  public static final int INTERNAL = 70;

  private Exit() {}
}
