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

    Broken(String message, RuntimeException cause) {
      super(message, cause);
    }
  }

  static void check(boolean holds, String rule, Object found) {
    if (!holds) {
      throw new Broken("broken invariant: " + rule + "; found " + found);
    }
  }

  /// A state whose parts do not belong together: nothing the machine does leads there, but bytes
  /// that somebody made up, with a right checksum, can.
  static Broken unfit(RuntimeException cause) {
    return new Broken("I15 a state fits its program; found " + cause, cause);
  }
}
