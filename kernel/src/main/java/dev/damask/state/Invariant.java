package dev.damask.state;

/// Checks rules of the machine that hold for every input; see `docs/invariants.md`.
public final class Invariant {
  private Invariant() {}

  /// Thrown if a rule is broken, which is an error of the engine. This case stops, others continue.
  public static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Broken(String message) {
      super(message);
    }

    public Broken(String message, RuntimeException cause) {
      super(message, cause);
    }
  }

  public static void check(boolean holds, String rule, Object found) {
    if (!holds) {
      throw new Broken("broken invariant: " + rule + "; found " + found);
    }
  }

  /// The exception for a state whose parts do not fit together. The machine never produces one, but
  /// forged bytes with a valid checksum can.
  public static Broken unfit(RuntimeException cause) {
    String rule = "I18 a state fits its program";
    return new Broken("broken invariant: " + rule + "; found " + cause, cause);
  }
}
