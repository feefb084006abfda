package dev.damask.task;

/// An expression could not be evaluated: a missing key, a wrong type, a division by zero. It fails
/// the task or case with the reason `expression`.
public final class ExpressionFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean missing;

  /// The message names the text, the position and the cause.
  public ExpressionFailure(String message) {
    this(message, false);
  }

  /// As above.
  ///
  /// @param missing whether the cause is a key or an element that is not there
  public ExpressionFailure(String message, boolean missing) {
    super(message, null, false, false);
    this.missing = missing;
  }

  /// Whether something that it reads is missing, while all existing values have the right type.
  public boolean isMissing() {
    return missing;
  }
}
