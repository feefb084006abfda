package dev.damask.verify.pnml;

/// Thrown when a PNML text cannot be read. The message is one line: where, what is wrong, and what
/// to do.
public final class PnmlProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PnmlProblem(String message) {
    super(message);
  }
}
