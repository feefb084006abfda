package dev.damask.expression;

/// Thrown when a string is not a valid expression: it does not parse, fails the type check, or
/// exceeds a limit.
public final class InvalidExpression extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InvalidExpression(String message) {
    super(message, null, false, false);
  }
}
