package dev.damask.cli.command;

/// Thrown if an argument or a file cannot be used. The message is one line: where, what is wrong,
/// and what to do.
public final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public Refusal(String message) {
    super(message, null, false, false);
  }
}
