package dev.damask.verify.pnml;

/// A PNML text that cannot be read. The message is one line: what, where, and what to do.
public final class PnmlProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PnmlProblem(String message) {
    super(message);
  }
}
