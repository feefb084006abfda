package dev.damask.rule;

import dev.damask.expression.Functions;
import dev.damask.expression.TypedNumber;
import java.math.BigDecimal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The distance between two values.
final class Distances {
  /// The distance of values that cannot be compared; larger than any other.
  static final double FAR = 1e18;

  private static final int TEXT_MAX = 256;

  /// The number of character comparisons that count as one part.
  private static final int AT_ONCE = 8;

  private Distances() {}

  static double of(String metric, @Nullable Object a, @Nullable Object b, Functions.Meter meter) {
    return switch (metric) {
      case "rel" -> relative(RuleFunctions.real(a), RuleFunctions.real(b));
      case "abs" -> Math.abs(RuleFunctions.real(a) - RuleFunctions.real(b));
      case "eq" -> same(a, b, meter) ? 0 : 1;
      case "hamming" -> hamming(RuleFunctions.text(a), RuleFunctions.text(b), meter);
      case "lev" -> edits(RuleFunctions.text(a), RuleFunctions.text(b), meter);
      default ->
          throw new IllegalArgumentException(
              "a metric is rel, abs, eq, hamming or lev, got '" + metric + "'");
    };
  }

  /// Whether two values are equal. Numbers are compared exactly, unless one is a double.
  static boolean same(@Nullable Object a, @Nullable Object b, Functions.Meter meter) {
    meter.read(a, 1);
    BigDecimal one = exact(a);
    BigDecimal other = exact(b);
    if (one != null && other != null) {
      return one.compareTo(other) == 0;
    }
    Double x = RuleFunctions.number(a);
    Double y = RuleFunctions.number(b);
    return (x != null && y != null) ? x.doubleValue() == y.doubleValue() : Objects.equals(a, b);
  }

  private static @Nullable BigDecimal exact(@Nullable Object value) {
    return switch (value) {
      case Long whole -> BigDecimal.valueOf(whole);
      case BigDecimal decimal -> decimal;
      case TypedNumber number -> number.value();
      case null, default -> null;
    };
  }

  /// The difference relative to the mean.
  static double relative(double a, double b) {
    if (a == 0 && b == 0) {
      return 0;
    }
    double mean = (a + b) / 2;
    return mean == 0 ? FAR : Math.abs(a - b) / Math.abs(mean);
  }

  private static double hamming(String a, String b, Functions.Meter meter) {
    if (a.length() != b.length()) {
      return FAR;
    }
    meter.charge(1 + a.length() / AT_ONCE);
    int different = 0;
    for (int i = 0; i < a.length(); i++) {
      different += a.charAt(i) == b.charAt(i) ? 0 : 1;
    }
    return a.isEmpty() ? 0 : (double) different / a.length();
  }

  private static double edits(String a, String b, Functions.Meter meter) {
    if (a.length() > TEXT_MAX || b.length() > TEXT_MAX) {
      return FAR;
    }
    meter.charge(1 + (long) a.length() * b.length() / AT_ONCE);
    char[] across = b.toCharArray();
    int[] row = new int[across.length + 1];
    for (int j = 0; j <= across.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      char down = a.charAt(i - 1);
      int diagonal = row[0];
      int left = i;
      row[0] = i;
      for (int j = 1; j <= across.length; j++) {
        int above = row[j];
        int change = diagonal + (down == across[j - 1] ? 0 : 1);
        left = Math.min(change, 1 + Math.min(above, left));
        row[j] = left;
        diagonal = above;
      }
    }
    int longer = Math.max(a.length(), b.length());
    return longer == 0 ? 0 : (double) row[b.length()] / longer;
  }
}
