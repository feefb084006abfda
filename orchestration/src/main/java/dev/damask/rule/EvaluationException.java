package dev.damask.rule;

/// Thrown when a rule cannot be evaluated.
public sealed class EvaluationException extends Exception {
  private static final long serialVersionUID = 1L;

  private EvaluationException(String message) {
    super(message, null, false, false);
  }

  public String detail() {
    return String.valueOf(getMessage());
  }

  /// Data is missing. The step is invalid.
  public static final class Soft extends EvaluationException {
    private static final long serialVersionUID = 1L;

    public Soft(String message) {
      super(message);
    }
  }

  /// The document, a type, an expression or a limit is wrong. The session fails.
  public static final class Hard extends EvaluationException {
    private static final long serialVersionUID = 1L;

    static final String LIMITS = "ErrLimitsExceeded";
    static final String COMPLEX = "ErrExprTooComplex";
    static final String LIST_CAP = "ErrListCapExceeded";
    public static final String TX = "ErrTx";

    private final String kind;

    public Hard(String kind, String message) {
      super(message);
      this.kind = kind;
    }

    public String kind() {
      return kind;
    }
  }
}
