package dev.damask.exec;

/// Carries a failure from the middle of a reduction to where the machine handles it.
final class Trouble extends RuntimeException {
  private static final long serialVersionUID = 1L;

  final String reason;
  final String detail;

  Trouble(String reason, String detail) {
    super(reason, null, false, false);
    this.reason = reason;
    this.detail = detail;
  }
}
