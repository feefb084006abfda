package dev.damask.database;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Operators and functions of their arguments alone.
final class Arithmetic {
  private static final double MICROS_PER_SECOND = 1e6;
  private static final Set<String> KNOWN =
      Set.of("coalesce", "greatest", "least", "starts_with", "length", "quote_ident");

  private Arithmetic() {}

  static @Nullable Object apply(String sign, List<@Nullable Object> values) {
    Object left = values.get(0);
    Object right = values.get(1);
    if (left == null || right == null) {
      return null;
    }
    if (sign.equals("||")) {
      return SqlValues.text(left) + SqlValues.text(right);
    }
    if (left instanceof SqlValues.Moment(var micros) && right instanceof SqlValues.Span(var span)) {
      return new SqlValues.Moment(sign.equals("-") ? micros - span : micros + span);
    }
    if (left instanceof Long a && right instanceof Long b) {
      return switch (sign) {
        case "+" -> a + b;
        case "-" -> a - b;
        case "*" -> a * b;
        case "&" -> a & b;
        default -> a / b;
      };
    }
    double a = ((Number) left).doubleValue();
    double b = ((Number) right).doubleValue();
    return switch (sign) {
      case "+" -> a + b;
      case "-" -> a - b;
      case "*" -> a * b;
      default -> a / b;
    };
  }

  static @Nullable Object epoch(List<@Nullable Object> values) {
    return values.getFirst() instanceof SqlValues.Moment(var micros)
        ? (Object) (micros / MICROS_PER_SECOND)
        : null;
  }

  static boolean isKnown(String name) {
    return KNOWN.contains(name);
  }

  static @Nullable Object call(String name, List<@Nullable Object> values) {
    return switch (name) {
      case "coalesce" -> values.stream().filter(Objects::nonNull).findFirst().orElse(null);
      case "greatest" ->
          values.stream().filter(Objects::nonNull).max(SqlValues::compareForOrder).orElse(null);
      case "least" ->
          values.stream().filter(Objects::nonNull).min(SqlValues::compareForOrder).orElse(null);
      case "starts_with" -> String.valueOf(values.get(0)).startsWith(String.valueOf(values.get(1)));
      case "length" -> (long) String.valueOf(values.get(0)).length();
      default -> values.get(0);
    };
  }
}
