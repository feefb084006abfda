package dev.damask.rule;

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
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The functions of rules beyond those of the expression language. A function charges for what it
/// does beyond reading its arguments once.
final class RuleFunctions {
  private static final int SHOWN = 60;

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
    table.put(
        "dist", metered(3, (v, meter) -> Distances.of(text(v.get(0)), v.get(1), v.get(2), meter)));
    table.put(
        "within",
        metered(
            4,
            (v, meter) ->
                Distances.of(text(v.get(0)), v.get(1), v.get(2), meter) <= real(v.get(3))));
    Aggregates.BY_NAME.forEach((name, aggregate) ->
        table.put(name, metered(1, (v, meter) -> aggregate.over(list(v.get(0)), meter))));
    table.put("quorum", new Function(4, 5, Consensus::quorum));
    table.put("consensus", new Function(5, 6, Consensus::consensus));
    table.put("join", metered(2, (v, meter) -> join(list(v.get(0)), text(v.get(1)), meter)));
    table.put("unique", metered(1, (v, meter) -> unique(list(v.get(0)), meter)));
    for (String name : List.of("u256", "uint256")) {
      table.put(
          name, of(1, v -> TypedNumber.of(NumberType.UINT256, cast(ValueType.UINT256, v.get(0)))));
    }
    table.put("int64", of(1, v -> cast(ValueType.INT64, v.get(0))));
    table.put("uint64", of(1, v -> unsigned(v.get(0))));
    table.put("uint", of(1, v -> unsigned(truncated(v.get(0)))));
    table.put("lowerAscii", cased(text -> text.toLowerCase(Locale.ROOT)));
    table.put("upperAscii", cased(text -> text.toUpperCase(Locale.ROOT)));
    table.put("matches", metered(2, (v, meter) -> meter.matches(text(v.get(0)), text(v.get(1)))));
    return table;
  }

  /// A function that does no more than it reads.
  private static Function of(
      int count, java.util.function.Function<List<@Nullable Object>, @Nullable Object> body) {
    return metered(count, (values, meter) -> body.apply(values));
  }

  private static Function metered(int count, Functions.Body body) {
    return new Function(count, count, body);
  }

  private static Function cased(UnaryOperator<String> change) {
    return metered(
        1,
        (v, meter) -> {
          meter.write(text(v.get(0)));
          return change.apply(text(v.get(0)));
        });
  }

  private static String join(
      List<? extends @Nullable Object> items, String separator, Functions.Meter meter) {
    for (Object item : items) {
      meter.write(item);
      meter.write(separator);
    }
    return String.join(separator, items.stream().map(RuleTemplate::text).toList());
  }

  private static List<@Nullable Object> unique(
      List<? extends @Nullable Object> items, Functions.Meter meter) {
    List<@Nullable Object> seen = new ArrayList<>();
    for (Object item : items) {
      meter.read(item, seen.size());
      if (!seen.contains(item)) {
        seen.add(item);
      }
    }
    return seen;
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

  /// Converts a double to an integer as the language does: the fraction is cut off.
  private static @Nullable Object truncated(@Nullable Object value) {
    return value instanceof Double real
        ? (Object) (real < 0 ? Math.ceil(real) : Math.floor(real))
        : value;
  }

  /// A value as a number, or null if it is not a number.
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
      throw new IllegalArgumentException("expected a number, found " + shown(value));
    }
    return number;
  }

  static String text(@Nullable Object value) {
    if (value instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("expected text, found " + shown(value));
  }

  /// A value in a message, which stays short.
  static String shown(@Nullable Object value) {
    String text =
        switch (value) {
          case List<?> items -> "a list";
          case Map<?, ?> entries -> "an object";
          case String other when other.length() > SHOWN -> other.substring(0, SHOWN) + "…";
          case null, default -> String.valueOf(value);
        };
    return value instanceof String ? JsonWriter.canonical(text) : text;
  }

  static List<? extends @Nullable Object> list(@Nullable Object value) {
    if (value instanceof List<?> items) {
      return Objects.requireNonNull(items);
    }
    throw new IllegalArgumentException("expected a list, found " + shown(value));
  }
}
