package dev.damask.verify;

/// Thrown while a program is packed, when it has a form that only the machine itself can follow.
final class NotPlain extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotPlain(String why) {
    super(why, null, false, false);
  }
}
