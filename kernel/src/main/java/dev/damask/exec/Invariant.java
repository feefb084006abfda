package dev.damask.exec;

/// A rule of the machine that must hold whatever the input; see `docs/invariants.md`.
final class Invariant {
  private Invariant() {}

  /// The engine is wrong: this case stops, others go on.
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(String message) {
      super(message);
    }
  }

  static void check(boolean holds, String rule, Object found) {
    if (!holds) {
      throw new Broken("broken invariant: " + rule + "; found " + found);
    }
  }
}
