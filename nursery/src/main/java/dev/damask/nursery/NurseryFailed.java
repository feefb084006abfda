package dev.damask.nursery;

/// Thrown when a nursery failed and nobody has looked at its result. The cause is the first error;
/// the later ones are suppressed exceptions of that.
public final class NurseryFailed extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NurseryFailed(String message, Throwable cause) {
    super(message, cause);
  }
}
