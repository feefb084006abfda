package dev.damask.script;

/// A step of a script failed after its retries. It comes from the receipt, so every run of the
/// script throws the same. A script may catch it; uncaught it fails the task with the same reason.
public final class StepFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String step;
  private final String reason;
  private final String detail;

  /// @param step the script and the step, such as `fulfil/charge`
  /// @param reason the word that handlers of failures compare, such as `unknown_outcome`
  /// @param detail for people
  public StepFailedException(String step, String reason, String detail) {
    super("step " + step + " failed with " + reason + (detail.isEmpty() ? "" : ": " + detail));
    this.step = step;
    this.reason = reason;
    this.detail = detail;
  }

  /// Returns the script and the step, such as `fulfil/charge`.
  public String step() {
    return step;
  }

  /// Returns why the step failed: `unknown_outcome` if an at-most-once step may have happened.
  public String reason() {
    return reason;
  }

  /// Returns the failure's message for people.
  public String detail() {
    return detail;
  }
}
