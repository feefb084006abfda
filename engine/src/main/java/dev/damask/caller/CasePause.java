package dev.damask.caller;

/// Why a case is paused. A paused case stores its inputs and does nothing else.
///
/// @param sinceMillis when it was paused, in milliseconds of the engine's clock
/// @param reason for people
/// @param inputs how many inputs were stored since
/// @param isResumed whether the case was resumed and stored inputs are still being applied
/// @param bytes how many bytes the stored inputs that are not applied yet have
public record CasePause(
    long sinceMillis, String reason, int inputs, boolean isResumed, long bytes) {
  /// Creates a pause whose stored inputs have no bytes.
  public CasePause(long sinceMillis, String reason, int inputs, boolean isResumed) {
    this(sinceMillis, reason, inputs, isResumed, 0);
  }

  /// Returns the same pause with one more stored input.
  public CasePause plusInput(long size) {
    return new CasePause(sinceMillis, reason, inputs + 1, isResumed, bytes + size);
  }

  /// Returns the same pause after a stored input was applied.
  public CasePause applied(long size) {
    return new CasePause(sinceMillis, reason, inputs, isResumed, Math.max(0, bytes - size));
  }

  /// Returns the same pause after the case was resumed.
  public CasePause resumed() {
    return new CasePause(sinceMillis, reason, inputs, true, bytes);
  }
}
