package dev.damask.nursery;

/// Thrown when a nursery refuses a child.
public final class SpawnRefused extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  private final RefusalReason refusal;

  private SpawnRefused(String message, RefusalReason refusal) {
    super(message);
    this.refusal = refusal;
  }

  /// Creates the exception for a child that a nursery refuses.
  static SpawnRefused of(Nursery nursery, String child, RefusalReason refusal) {
    String reason =
        switch (refusal) {
          case NOT_OPEN -> "it is " + nursery.state();
          case BUDGET_USED_UP -> "its budget has " + nursery.budget().left() + " left";
        };
    String name = nursery.options().name();
    return new SpawnRefused(
        "nursery %s refuses child %s: %s".formatted(name, child, reason), refusal);
  }

  /// Creates the exception for a nursery that a child cannot open.
  static SpawnRefused of(String nursery, Amounts grant, RunningChild<?> owner) {
    return new SpawnRefused(
        "nursery %s needs %s; its owner %s has %s left"
            .formatted(nursery, grant, owner.name(), owner.budget().left()),
        RefusalReason.BUDGET_USED_UP);
  }

  /// Returns the reason for the refusal.
  public RefusalReason refusal() {
    return refusal;
  }
}
