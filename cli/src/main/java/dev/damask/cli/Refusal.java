package dev.damask.cli;

/// Something the user gave cannot be used. The message is one line: what, where, and what to do.
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Refusal(String message) {
    super(message, null, false, false);
  }
}
