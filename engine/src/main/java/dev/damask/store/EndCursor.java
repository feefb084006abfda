package dev.damask.store;

/// The cursors of stores that number the ends of cases.
public final class EndCursor {
  private EndCursor() {}

  /// Returns the cursor of a number.
  public static String of(long number) {
    return "%016x".formatted(number);
  }

  /// Returns the number of a cursor; 0 for the empty one. Throws `IllegalArgumentException` if it
  /// is not a cursor.
  public static long number(String cursor) {
    try {
      return cursor.isEmpty() ? 0 : Long.parseUnsignedLong(cursor, 16);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a cursor of ended cases: '" + cursor + "'", e);
    }
  }
}
