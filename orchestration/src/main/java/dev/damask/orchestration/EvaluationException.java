package dev.damask.orchestration;

/// Why an evaluation cannot go on as its rule says.
sealed class EvaluationException extends Exception {
  private static final long serialVersionUID = 1L;

  private EvaluationException(String message) {
    super(message, null, false, false);
  }

  String detail() {
    return String.valueOf(getMessage());
  }

  /// Data is missing: the step is invalid.
  static final class Soft extends EvaluationException {
    private static final long serialVersionUID = 1L;

    Soft(String message) {
      super(message);
    }
  }

  /// The document, a type, an expression or a limit is wrong: the session fails.
  static final class Hard extends EvaluationException {
    private static final long serialVersionUID = 1L;

    static final String LIMITS = "ErrLimitsExceeded";
    static final String COMPLEX = "ErrExprTooComplex";
    static final String LIST_CAP = "ErrListCapExceeded";
    static final String TX = "ErrTx";

    private final String kind;

    Hard(String kind, String message) {
      super(message);
      this.kind = kind;
    }

    String kind() {
      return kind;
    }
  }
}
