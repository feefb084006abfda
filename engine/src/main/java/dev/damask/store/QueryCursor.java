package dev.damask.store;

import dev.damask.attribute.FactIndex.Entry;
import java.util.HexFormat;

/// The cursors of queries with conditions: the plan of the first page and the last case of a page.
public final class QueryCursor {
  private static final String SINGLE = "=";
  private static final int PARTS = 4;

  private QueryCursor() {}

  /// Returns the cursor after an entry.
  ///
  /// @param range as in [QueryPlan]
  public static String of(int range, Entry last) {
    return "%s %s %016x %s"
        .formatted(
            range < 0 ? SINGLE : String.valueOf(range),
            range < 0 ? SINGLE : HexFormat.of().formatHex(last.key()),
            last.startedMillis(),
            last.caseId());
  }

  /// Returns the range that a cursor names, -1 for single values. Throws `IllegalArgumentException`
  /// if the cursor is not one of a query with so many ranges.
  static int range(String cursor, int ranges) {
    String first = parts(cursor)[0];
    if (first.equals(SINGLE)) {
      return -1;
    }
    try {
      int range = Integer.parseInt(first);
      if (range >= 0 && range < ranges) {
        return range;
      }
    } catch (NumberFormatException e) {
      throw invalid(cursor);
    }
    throw invalid(cursor);
  }

  /// Returns the last entry of the page that ended with a cursor.
  public static Entry last(String cursor) {
    String[] parts = parts(cursor);
    try {
      byte[] key = parts[1].equals(SINGLE) ? new byte[0] : HexFormat.of().parseHex(parts[1]);
      return new Entry(key, Long.parseUnsignedLong(parts[2], 16), parts[3]);
    } catch (IllegalArgumentException e) {
      throw invalid(cursor);
    }
  }

  private static String[] parts(String cursor) {
    String[] parts = cursor.split(" ", PARTS);
    if (parts.length != PARTS) {
      throw invalid(cursor);
    }
    return parts;
  }

  private static IllegalArgumentException invalid(String cursor) {
    return new IllegalArgumentException(
        "not a cursor of this query: '" + cursor + "'; begin with the first page");
  }
}
