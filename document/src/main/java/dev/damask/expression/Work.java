package dev.damask.expression;

/// The work of one evaluation, counted in parts of values that were compared, searched or matched.
/// A short expression can be expensive, because a macro repeats it and a pattern multiplies it, and
/// the other cases of the shard wait for the evaluation.
final class Work {
  /// The maximum work of one evaluation; it takes less than a second.
  static final long MAX = 100_000_000;

  /// An instance that does not count, for work that its caller limits.
  static final Work UNBOUNDED = new Work(false);

  /// The number of characters that count as one part.
  private static final int CHARACTERS = 16;

  /// The charge for a new character, so that an evaluation creates at most 25 million.
  private static final int CREATED = 4;

  private final boolean isBounded;
  private long done;

  private Work(boolean isBounded) {
    this.isBounded = isBounded;
  }

  static Work bounded() {
    return new Work(true);
  }

  void charge(long parts) throws BinaryOperators.Refused {
    if (!isBounded) {
      return;
    }
    done += parts;
    if (done > MAX) {
      throw new BinaryOperators.Refused(
          "the evaluation compares or matches more than " + MAX + " parts");
    }
  }

  /// Charges for new characters, which may all stay in memory until the evaluation ends.
  void create(long characters) throws BinaryOperators.Refused {
    charge(CREATED * characters);
  }

  /// Charges for reading a text once.
  void charge(String text) throws BinaryOperators.Refused {
    charge(1 + text.length() / CHARACTERS);
  }
}
