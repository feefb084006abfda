package dev.damask.caller;

/// A case does not have the revision that a change requires, see [Actor#onlyAt]. Nothing was
/// changed; read the case and decide again.
public final class StaleRevisionException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  private final long revision;

  /// Creates the refusal of a change.
  public StaleRevisionException(String message, long revision) {
    super(message);
    this.revision = revision;
  }

  /// Returns the last revision that the case has, as far as it is known.
  public long revision() {
    return revision;
  }
}
