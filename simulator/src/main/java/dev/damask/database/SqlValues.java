package dev.damask.database;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The values of the virtual database: `Boolean`, `Long`, `Double`, `String`, `UUID`, [Blob],
/// [Moment], [Span] and lists of them; null is SQL's null.
final class SqlValues {
  private static final long MICROS_PER_SECOND = 1_000_000;

  private SqlValues() {}

  /// A byte array that compares as PostgreSQL's `bytea` does.
  @SuppressWarnings("ArrayRecordComponent") // equals and hashCode are below
  record Blob(byte[] bytes) implements Comparable<Blob> {
    @Override
    public int compareTo(Blob other) {
      return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Blob(var more) && Arrays.equals(bytes, more);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
      return "\\x" + HexFormat.of().formatHex(bytes);
    }
  }

  /// A time of the database's clock.
  record Moment(long micros) implements Comparable<Moment> {
    @Override
    public int compareTo(Moment other) {
      return Long.compare(micros, other.micros);
    }
  }

  /// A length of time.
  record Span(long micros) {
    static Span parse(String text) {
      String[] parts = text.trim().split(" ", 2);
      long count = Long.parseLong(parts[0]);
      String unit = parts[1].toLowerCase(Locale.ROOT);
      long seconds =
          switch (unit) {
            case "second", "seconds" -> 1;
            case "minute", "minutes" -> 60;
            case "hour", "hours" -> 3_600;
            case "day", "days" -> 86_400;
            default -> throw new SqlError(SqlError.SYNTAX, "unknown interval '" + text + "'");
          };
      return new Span(count * seconds * MICROS_PER_SECOND);
    }
  }

  static int compare(Object left, Object right) {
    if (left instanceof String a && right instanceof String b) {
      return compareText(a, b);
    }
    if (left instanceof Number a && right instanceof Number b) {
      return a instanceof Long && b instanceof Long
          ? Long.compare(a.longValue(), b.longValue())
          : Double.compare(a.doubleValue(), b.doubleValue());
    }
    if (left instanceof List<?> a && right instanceof List<?> b) {
      for (int i = 0; i < a.size(); i++) {
        int by = compare(a.get(i), b.get(i));
        if (by != 0) {
          return by;
        }
      }
      return 0;
    }
    if (left instanceof Boolean a && right instanceof Boolean b) {
      return Boolean.compare(a, b);
    }
    if (left instanceof Blob a && right instanceof Blob b) {
      return a.compareTo(b);
    }
    if (left instanceof Moment a && right instanceof Moment b) {
      return a.compareTo(b);
    }
    if (left instanceof UUID a && right instanceof UUID b) {
      return a.compareTo(b);
    }
    throw new SqlError("42883", "cannot compare " + left + " with " + right);
  }

  /// Compares by code point, as the collation `C` does with UTF-8.
  private static int compareText(String left, String right) {
    int[] a = left.codePoints().toArray();
    int[] b = right.codePoints().toArray();
    return Arrays.compare(a, b);
  }

  /// Compares for `order by`: null comes last.
  static int compareForOrder(@Nullable Object left, @Nullable Object right) {
    if (left == null || right == null) {
      return Boolean.compare(left == null, right == null);
    }
    return compare(left, right);
  }

  static @Nullable Object cast(@Nullable Object value, String type) {
    if (value == null) {
      return null;
    }
    return switch (type) {
      case "int2", "int4", "int8", "oid", "xid8" ->
          switch (value) {
            case Double d -> (Object) Math.round(d);
            case String s -> Long.valueOf(s.trim());
            default -> value;
          };
      case "text" -> text(value);
      case "bytea" -> value instanceof String s && s.isEmpty() ? new Blob(new byte[0]) : value;
      case "boolean" -> value instanceof String s ? (Object) s.startsWith("t") : value;
      case "interval" -> value instanceof String s ? (Object) Span.parse(s) : value;
      default -> value; // arrays keep their elements
    };
  }

  static String text(Object value) {
    return value instanceof Boolean flag ? (flag ? "t" : "f") : value.toString();
  }
}
