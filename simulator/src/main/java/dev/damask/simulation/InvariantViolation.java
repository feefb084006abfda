package dev.damask.simulation;

/// An invariant of the engine does not hold, or a case does not continue.
public final class InvariantViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InvariantViolation(String invariant, String what) {
    super(invariant + ": " + what);
  }

  public InvariantViolation(String invariant, String what, Throwable cause) {
    super(invariant + ": " + what, cause);
  }
}
