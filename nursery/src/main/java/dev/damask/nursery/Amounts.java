package dev.damask.nursery;

/// How much of each kind of thing that a budget counts. `UNLIMITED` stands for no bound.
///
/// Written as `Amounts.NONE.operations(100).spawns(3)`.
public record Amounts(long operations, long spawns, long effects, long memoryUnits) {

  /// No bound.
  public static final long UNLIMITED = Long.MAX_VALUE;

  /// Nothing of anything.
  public static final Amounts NONE = new Amounts(0, 0, 0, 0);

  /// Everything without a bound.
  public static final Amounts BOUNDLESS = new Amounts(UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED);

  static final Amounts ONE_OPERATION = NONE.operations(1);
  static final Amounts ONE_SPAWN = NONE.spawns(1);

  public Amounts {
    if (operations < 0 || spawns < 0 || effects < 0 || memoryUnits < 0) {
      throw new IllegalArgumentException(
          "expected amounts of zero or more, found %d operations, %d spawns, %d effects, %d memory"
              .formatted(operations, spawns, effects, memoryUnits));
    }
  }

  /// The same with this many operations.
  public Amounts operations(long count) {
    return new Amounts(count, spawns, effects, memoryUnits);
  }

  /// The same with this many spawns.
  public Amounts spawns(long count) {
    return new Amounts(operations, count, effects, memoryUnits);
  }

  /// The same with this many effects.
  public Amounts effects(long count) {
    return new Amounts(operations, spawns, count, memoryUnits);
  }

  /// The same with this many units of memory.
  public Amounts memoryUnits(long count) {
    return new Amounts(operations, spawns, effects, count);
  }

  /// Whether each amount is at most the other's.
  public boolean fitsInto(Amounts other) {
    return operations <= other.operations
        && spawns <= other.spawns
        && effects <= other.effects
        && memoryUnits <= other.memoryUnits;
  }

  /// The sum of each; without a bound where either has none, or where the sum would be too large.
  public Amounts plus(Amounts other) {
    return new Amounts(
        sum(operations, other.operations),
        sum(spawns, other.spawns),
        sum(effects, other.effects),
        sum(memoryUnits, other.memoryUnits));
  }

  /// What is left of each; what has no bound stays without one.
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
