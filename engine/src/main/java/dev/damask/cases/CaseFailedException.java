package dev.damask.cases;

import dev.damask.event.Failure;

/// Thrown to a caller that waits for the result of a workflow that failed.
public final class CaseFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Failure failure;

  /// Creates the exception for a failure.
  public CaseFailedException(Failure failure) {
    super(failure.toString());
    this.failure = failure;
  }

  /// Returns why and where the workflow failed.
  public Failure failure() {
    return failure;
  }
}
