package dev.damask.rule;

import dev.damask.expression.Expressions;
import dev.damask.expression.Functions;
import dev.damask.expression.Functions.Function;
import dev.damask.expression.NumberType;
import dev.damask.expression.TypedNumber;
import dev.damask.json.JsonWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The functions that rules may call besides those of the expression language.
final class RuleFunctions {
  static final Functions ALL = new Functions(table());

  private RuleFunctions() {}

  private static Map<String, Function> table() {
    Map<String, Function> table = new TreeMap<>();
    table.put("abs", of(1, v -> Math.abs(real(v.get(0)))));
    table.put(
        "pow",
        of(
            2,
            v -> {
              Double base = number(v.get(0));
              Double exponent = number(v.get(1));
              return base == null || exponent == null ? 0.0 : Math.pow(base, exponent);
            }));
    table.put("relDiff", of(2, v -> Distances.relative(real(v.get(0)), real(v.get(1)))));
    table.put(
        "safeDiv",
        of(
            3,
            v -> {
              Double above = number(v.get(0));
              Double below = number(v.get(1));
              return above == null || below == null || below == 0
                  ? v.get(2)
                  : (Object) (above / below);
            }));
    table.put("clamp", of(3, RuleFunctions::clamp));
    table.put("dist", of(3, v -> Distances.of(text(v.get(0)), v.get(1), v.get(2))));
    table.put(
        "within", of(4, v -> Distances.of(text(v.get(0)), v.get(1), v.get(2)) <= real(v.get(3))));
    Aggregates.BY_NAME.forEach(
        (name, aggregate) -> table.put(name, of(1, v -> aggregate.over(list(v.get(0))))));
    table.put("quorum", new Function(4, 5, Consensus::quorum));
    table.put("consensus", new Function(5, 6, Consensus::consensus));
    table.put(
        "join",
        of(
            2,
            v ->
                String.join(
                    text(v.get(1)), list(v.get(0)).stream().map(RuleTemplate::text).toList())));
    table.put(
        "unique",
        of(
            1,
            v -> {
              List<@Nullable Object> seen = new ArrayList<>();
              list(v.get(0)).stream().filter(item -> !seen.contains(item)).forEach(seen::add);
              return seen;
            }));
    for (String name : List.of("u256", "uint256")) {
      table.put(
          name, of(1, v -> TypedNumber.of(NumberType.UINT256, cast(ValueType.UINT256, v.get(0)))));
    }
    table.put("int64", of(1, v -> cast(ValueType.INT64, v.get(0))));
    table.put("uint64", of(1, v -> unsigned(v.get(0))));
    table.put("uint", of(1, v -> unsigned(truncated(v.get(0)))));
    table.put("lowerAscii", of(1, v -> text(v.get(0)).toLowerCase(Locale.ROOT)));
    table.put("upperAscii", of(1, v -> text(v.get(0)).toUpperCase(Locale.ROOT)));
    table.put("matches", of(2, v -> Expressions.pattern(text(v.get(1))).test(text(v.get(0)))));
    return table;
  }

  private static Function of(int count, Functions.Body body) {
    return new Function(count, count, body);
  }

  private static @Nullable Object clamp(List<@Nullable Object> v) {
    Double value = number(v.get(0));
    Double one = number(v.get(1));
    Double other = number(v.get(2));
    if (value == null || one == null || other == null) {
      return v.get(0);
    }
    return Math.max(Math.min(one, other), Math.min(Math.max(one, other), value));
  }

  private static Object cast(ValueType type, @Nullable Object value) {
    try {
      return type.cast(value);
    } catch (ValueType.CastFailed e) {
      throw new IllegalArgumentException(e.getMessage());
    }
  }

  private static @Nullable Object unsigned(@Nullable Object value) {
    return TypedNumber.of(NumberType.UINT64, cast(ValueType.UINT64, value));
  }

  /// The language cuts the fraction of a double off.
  private static @Nullable Object truncated(@Nullable Object value) {
    return value instanceof Double real
        ? (Object) (real < 0 ? Math.ceil(real) : Math.floor(real))
        : value;
  }

  /// A number; null when the value is none.
  static @Nullable Double number(@Nullable Object value) {
    return switch (value) {
      case Long whole -> whole.doubleValue();
      case Double real -> real;
      case BigDecimal decimal -> decimal.doubleValue();
      case TypedNumber typed -> typed.value().doubleValue(); // an item of a list
      case null, default -> null;
    };
  }

  static double real(@Nullable Object value) {
    Double number = number(value);
    if (number == null) {
      throw new IllegalArgumentException("expected a number, found " + JsonWriter.canonical(value));
    }
    return number;
  }

  static String text(@Nullable Object value) {
    if (value instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("expected text, found " + JsonWriter.canonical(value));
  }

  static List<? extends @Nullable Object> list(@Nullable Object value) {
    if (value instanceof List<?> items) {
      return Objects.requireNonNull(items);
    }
    throw new IllegalArgumentException("expected a list, found " + JsonWriter.canonical(value));
  }
}
