package dev.damask.orchestration;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A JSON value that knows where it stands in its text.
sealed interface Json {
  Spot at();

  record Text(Spot at, String value) implements Json {}

  /// A number as it is written.
  record Numeral(Spot at, String digits) implements Json {
    boolean isWhole() {
      return digits.matches("-?[0-9]+");
    }

    /// The number as a long; empty when it is no whole number or too large.
    java.util.OptionalLong whole() {
      try {
        return isWhole()
            ? java.util.OptionalLong.of(Long.parseLong(digits))
            : java.util.OptionalLong.empty();
      } catch (NumberFormatException e) {
        return java.util.OptionalLong.empty();
      }
    }
  }

  record Flag(Spot at, boolean value) implements Json {}

  record Nothing(Spot at) implements Json {}

  record Items(Spot at, List<Json> items) implements Json {}

  /// An object; its entries keep the order they are written in.
  record Fields(Spot at, Map<String, Json> entries) implements Json {
    @Nullable Json get(String key) {
      return entries.get(key);
    }
  }

  /// A line and a column, both from one.
  record Spot(int line, int column) {
    static final Spot NOWHERE = new Spot(0, 0);

    @Override
    public String toString() {
      return line + ":" + column;
    }
  }

  /// What a person would call it.
  default String kind() {
    return switch (this) {
      case Text text -> "text";
      case Numeral numeral -> "a number";
      case Flag flag -> "a boolean";
      case Nothing nothing -> "null";
      case Items items -> "a list";
      case Fields fields -> "an object";
    };
  }

  /// Keys sorted, no space, the shortest escapes.
  default String canonical() {
    StringBuilder out = new StringBuilder();
    JsonText.write(this, out);
    return out.toString();
  }

  /// The value as a context holds it: numbers without a declared type are doubles.
  default @Nullable Object toValue() {
    return switch (this) {
      case Text(var at, var value) -> value;
      case Numeral(var at, var digits) -> Double.parseDouble(digits);
      case Flag(var at, var value) -> value;
      case Nothing nothing -> null;
      case Items(var at, var items) -> {
        List<@Nullable Object> values = new ArrayList<>();
        items.forEach(item -> values.add(item.toValue()));
        yield values;
      }
      case Fields(var at, var entries) -> {
        Map<String, @Nullable Object> values = new TreeMap<>();
        entries.forEach((key, entry) -> values.put(key, entry.toValue()));
        yield values;
      }
    };
  }
}
