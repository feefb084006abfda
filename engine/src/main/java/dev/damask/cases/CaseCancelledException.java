package dev.damask.cases;

/// Thrown to a caller that waits for the result of a workflow that was cancelled.
public final class CaseCancelledException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient CaseResult.Cancelled result;

  /// Creates the exception for a cancellation.
  public CaseCancelledException(CaseResult.Cancelled result) {
    super(
        "cancelled: " + result.scope() + (result.reason().isEmpty() ? "" : ", " + result.reason()));
    this.result = result;
  }

  /// Returns what was cancelled and for which reason.
  public CaseResult.Cancelled result() {
    return result;
  }
}
