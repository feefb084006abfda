package dev.damask.json;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A JSON value with its position in the text that it was read from.
public sealed interface Json {
  /// The position of the first character of the value.
  Position at();

  /// A string.
  record Text(Position at, String value) implements Json {}

  /// A number, with its digits as they are written.
  record Numeral(Position at, String digits) implements Json {
    /// Returns whether the number has neither a fraction nor an exponent.
    public boolean isWhole() {
      return digits.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E');
    }

    /// Returns the number as a long. Empty if it has a fraction or an exponent, or is too large.
    public OptionalLong whole() {
      return number() instanceof Long whole ? OptionalLong.of(whole) : OptionalLong.empty();
    }

    /// Returns the number as a `Long`, as a `BigDecimal` if it is whole and too large for a long,
    /// or else as a `Double`.
    public Number number() {
      if (!isWhole()) {
        return Double.valueOf(digits);
      }
      try {
        return Long.valueOf(digits);
      } catch (NumberFormatException e) {
        return new BigDecimal(digits);
      }
    }
  }

  /// A boolean.
  record Flag(Position at, boolean value) implements Json {}

  /// A null.
  record Nothing(Position at) implements Json {}

  /// A list.
  record Items(Position at, List<Json> items) implements Json {}

  /// An object. Its entries keep the order of the text.
  ///
  /// @param keys the positions of the keys, in the order of the entries
  record Fields(Position at, Map<String, Json> entries, List<Position> keys) implements Json {
    /// Creates an object without the positions of its keys.
    public Fields(Position at, Map<String, Json> entries) {
      this(at, entries, List.of());
    }

    /// Returns the value of a key, or null if the object does not have the key.
    public @Nullable Json get(String key) {
      return entries.get(key);
    }

    /// Returns the entries as plain values in their order. The function converts numbers.
    public Map<String, @Nullable Object> plainEntries(Function<Numeral, Object> number) {
      Map<String, @Nullable Object> values = new LinkedHashMap<>();
      entries.forEach((key, entry) -> values.put(key, entry.plain(number)));
      return values;
    }

    /// Returns the position of a key, or of the object if it does not have the key.
    public Position keyAt(String name) {
      int index = 0;
      for (String key : entries.keySet()) {
        if (key.equals(name) && index < keys.size()) {
          return keys.get(index);
        }
        index++;
      }
      return at;
    }
  }

  /// Returns the kind of the value, for messages.
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

  /// Returns the canonical text; see [JsonWriter#canonical].
  default String canonical() {
    return JsonWriter.canonical(this);
  }

  /// Returns the value as a string, boolean, null, list or map. Numbers are those of
  /// [Numeral#number].
  default @Nullable Object plain() {
    return plain(Numeral::number);
  }

  /// Returns the value as a string, boolean, null, list or map. The function converts numbers.
  default @Nullable Object plain(Function<Numeral, Object> number) {
    return switch (this) {
      case Text(var at, var value) -> value;
      case Numeral numeral -> number.apply(numeral);
      case Flag(var at, var value) -> value;
      case Nothing nothing -> null;
      case Items(var at, var items) -> {
        List<@Nullable Object> values = new ArrayList<>(items.size());
        items.forEach(item -> values.add(item.plain(number)));
        yield values;
      }
      case Fields fields -> fields.plainEntries(number);
    };
  }
}
