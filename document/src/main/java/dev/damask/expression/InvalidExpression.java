package dev.damask.expression;

/// A text that is no expression: it does not parse, does not check, or exceeds a limit.
public final class InvalidExpression extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InvalidExpression(String message) {
    super(message, null, false, false);
  }
}
