package dev.damask.nursery;

/// Amounts of operations, spawns, effects and memory units, as a budget counts them. `UNLIMITED`
/// means that there is no bound.
///
/// Example: `Amounts.NONE.operations(100).spawns(3)`.
public record Amounts(long operations, long spawns, long effects, long memoryUnits) {

  /// The amount that means no bound.
  public static final long UNLIMITED = Long.MAX_VALUE;

  /// Zero of each kind.
  public static final Amounts NONE = new Amounts(0, 0, 0, 0);

  /// Unlimited amounts of each kind.
  public static final Amounts BOUNDLESS = new Amounts(UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED);

  static final Amounts ONE_OPERATION = NONE.operations(1);
  static final Amounts ONE_SPAWN = NONE.spawns(1);

  public Amounts {
    if (operations < 0 || spawns < 0 || effects < 0 || memoryUnits < 0) {
      throw new IllegalArgumentException(
          "amounts must not be negative, got %d operations, %d spawns, %d effects, %d memory"
              .formatted(operations, spawns, effects, memoryUnits));
    }
  }

  /// Returns a copy with this many operations.
  public Amounts operations(long count) {
    return new Amounts(count, spawns, effects, memoryUnits);
  }

  /// Returns a copy with this many spawns.
  public Amounts spawns(long count) {
    return new Amounts(operations, count, effects, memoryUnits);
  }

  /// Returns a copy with this many effects.
  public Amounts effects(long count) {
    return new Amounts(operations, spawns, count, memoryUnits);
  }

  /// Returns a copy with this many memory units.
  public Amounts memoryUnits(long count) {
    return new Amounts(operations, spawns, effects, count);
  }

  /// Returns whether each amount is at most the other's amount of the same kind.
  public boolean fitsInto(Amounts other) {
    return operations <= other.operations
        && spawns <= other.spawns
        && effects <= other.effects
        && memoryUnits <= other.memoryUnits;
  }

  /// Returns the sum of each kind. It is unlimited if either amount is unlimited or the sum
  /// overflows.
  public Amounts plus(Amounts other) {
    return new Amounts(
        sum(operations, other.operations),
        sum(spawns, other.spawns),
        sum(effects, other.effects),
        sum(memoryUnits, other.memoryUnits));
  }

  /// Returns the difference of each kind. Unlimited amounts stay unlimited.
  Amounts minus(Amounts other) {
    return new Amounts(
        rest(operations, other.operations),
        rest(spawns, other.spawns),
        rest(effects, other.effects),
        rest(memoryUnits, other.memoryUnits));
  }

  private static long sum(long one, long other) {
    return one > UNLIMITED - other ? UNLIMITED : one + other;
  }

  private static long rest(long all, long taken) {
    return all == UNLIMITED ? UNLIMITED : all - taken;
  }
}
