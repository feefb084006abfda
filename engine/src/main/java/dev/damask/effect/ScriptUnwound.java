package dev.damask.effect;

/// Ends the run of a script that must leave memory: it waits for long, its task was cancelled, or
/// the engine closes. It is an `Error` so that scripts do not catch it by accident. Once it is
/// thrown, every further use of the script throws it again and the result of the run is discarded.
public final class ScriptUnwound extends Error {
  private static final long serialVersionUID = 1L;

  /// @param why for people
  public ScriptUnwound(String why) {
    super(why, null, false, false);
  }
}
