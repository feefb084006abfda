package dev.damask.caller;

import dev.damask.event.Failure;

/// Thrown for the result of a case that failed.
public final class CaseFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String caseId;
  private final transient Failure failure;

  public CaseFailedException(String caseId, Failure failure) {
    super("case " + caseId + " failed: " + failure);
    this.caseId = caseId;
    this.failure = failure;
  }

  /// The id of the case.
  public String caseId() {
    return caseId;
  }

  /// Why and where the case failed.
  public Failure failure() {
    return failure;
  }
}
