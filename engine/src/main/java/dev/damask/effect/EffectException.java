package dev.damask.effect;

/// Thrown by a handler to fail its attempt with a reason that the workflow can test.
public sealed class EffectException extends Exception permits EffectNotSent {
  private static final long serialVersionUID = 1L;

  private final String reason;

  public EffectException(String reason, String detail) {
    super(detail);
    this.reason = reason;
  }

  public EffectException(String reason) {
    this(reason, "");
  }

  /// Returns a short word for handlers in the workflow.
  public String reason() {
    return reason;
  }
}
