package dev.damask.cli.command;

/// Something the user gave cannot be used. The message is one line: what, where, and what to do.
public final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public Refusal(String message) {
    super(message, null, false, false);
  }
}
