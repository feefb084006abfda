package dev.damask.task;

/// An expression could not be evaluated: a missing key, a wrong type, a division by zero. It fails
/// the task or case with the reason `expression`.
public final class ExpressionFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// The message names the text, the position and the cause.
  public ExpressionFailure(String message) {
    super(message, null, false, false);
  }
}
