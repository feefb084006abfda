package dev.damask.effect;

/// Thrown by a handler to fail its attempt with a reason that the workflow can look at.
public final class EffectFailed extends Exception {
  private static final long serialVersionUID = 1L;

  private final String reason;

  public EffectFailed(String reason, String detail) {
    super(detail);
    this.reason = reason;
  }

  public EffectFailed(String reason) {
    this(reason, "");
  }

  /// A short word for handlers in the workflow.
  public String reason() {
    return reason;
  }
}
