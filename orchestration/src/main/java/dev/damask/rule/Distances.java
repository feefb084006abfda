package dev.damask.rule;

import dev.damask.expression.TypedNumber;
import java.math.BigDecimal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How far two values are from each other.
final class Distances {
  /// Farther than anything that can be measured.
  static final double FAR = 1e18;

  private static final int TEXT_MAX = 256;

  private Distances() {}

  static double of(String metric, @Nullable Object a, @Nullable Object b) {
    return switch (metric) {
      case "rel" -> relative(RuleFunctions.real(a), RuleFunctions.real(b));
      case "abs" -> Math.abs(RuleFunctions.real(a) - RuleFunctions.real(b));
      case "eq" -> same(a, b) ? 0 : 1;
      case "hamming" -> hamming(RuleFunctions.text(a), RuleFunctions.text(b));
      case "lev" -> edits(RuleFunctions.text(a), RuleFunctions.text(b));
      default ->
          throw new IllegalArgumentException(
              "a metric is rel, abs, eq, hamming or lev, got '" + metric + "'");
    };
  }

  /// Whether two values are the same. Numbers are compared exactly, unless one is a double.
  static boolean same(@Nullable Object a, @Nullable Object b) {
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

  /// The difference in relation to the mean.
  static double relative(double a, double b) {
    if (a == 0 && b == 0) {
      return 0;
    }
    double mean = (a + b) / 2;
    return mean == 0 ? FAR : Math.abs(a - b) / Math.abs(mean);
  }

  private static double hamming(String a, String b) {
    if (a.length() != b.length()) {
      return FAR;
    }
    int different = 0;
    for (int i = 0; i < a.length(); i++) {
      different += a.charAt(i) == b.charAt(i) ? 0 : 1;
    }
    return a.isEmpty() ? 0 : (double) different / a.length();
  }

  private static double edits(String a, String b) {
    if (a.length() > TEXT_MAX || b.length() > TEXT_MAX) {
      return FAR;
    }
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    int longer = Math.max(a.length(), b.length());
    return longer == 0 ? 0 : (double) row[b.length()] / longer;
  }
}
