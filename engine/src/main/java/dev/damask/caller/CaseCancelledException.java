package dev.damask.caller;

/// Thrown for the result of a case that was cancelled.
public final class CaseCancelledException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String caseId;
  private final String scope;
  private final String reason;

  public CaseCancelledException(String caseId, String scope, String reason) {
    super("case " + caseId + " was cancelled" + (reason.isEmpty() ? "" : ": " + reason));
    this.caseId = caseId;
    this.scope = scope;
    this.reason = reason;
  }

  /// The id of the case.
  public String caseId() {
    return caseId;
  }

  /// The scope whose cancellation ended the case; `case` for the whole.
  public String scope() {
    return scope;
  }

  /// Why it was cancelled; see [CaseResult.Cancelled].
  public String reason() {
    return reason;
  }
}
