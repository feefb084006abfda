package dev.damask.simulation;

/// An invariant of the engine does not hold, or a case does not go on.
public final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Violation(String invariant, String what) {
    super(invariant + ": " + what);
  }

  Violation(String invariant, String what, Throwable cause) {
    super(invariant + ": " + what, cause);
  }
}
