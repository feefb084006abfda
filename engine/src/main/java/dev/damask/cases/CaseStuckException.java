package dev.damask.cases;

/// Thrown to a caller that waits for the result of a workflow that will not end by itself.
public final class CaseStuckException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient CaseResult.Report report;

  /// Creates the exception for a report.
  public CaseStuckException(CaseResult.Report report) {
    super("stuck: " + report.reason() + " " + String.join("; ", report.lines()));
    this.report = report;
  }

  /// Returns why the workflow is stuck.
  public CaseResult.Report report() {
    return report;
  }
}
