package dev.damask.caller;

/// Thrown for the result of a case that will not end by itself.
public final class CaseStuckException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String caseId;
  private final transient CaseResult.Report report;

  public CaseStuckException(String caseId, CaseResult.Report report) {
    super("case " + caseId + " is stuck, " + report.reason() + ": " + report.lines());
    this.caseId = caseId;
    this.report = report;
  }

  /// The id of the case.
  public String caseId() {
    return caseId;
  }

  /// Why the case is stuck and what is known about it.
  public CaseResult.Report report() {
    return report;
  }
}
