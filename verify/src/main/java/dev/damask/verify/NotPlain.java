package dev.damask.verify;

/// Thrown while a program is packed if it has a construct that only the machine can execute.
final class NotPlain extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotPlain(String why) {
    super(why, null, false, false);
  }
}
