package dev.damask.nursery;

/// Thrown when a nursery did not take a child; says why.
public final class SpawnRefused extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  private final Refusal refusal;

  SpawnRefused(String message, Refusal refusal) {
    super(message);
    this.refusal = refusal;
  }

  /// Why the child was not taken.
  public Refusal refusal() {
    return refusal;
  }
}
