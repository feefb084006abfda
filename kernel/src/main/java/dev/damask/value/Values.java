package dev.damask.value;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The closed set of values a context may hold: null, boolean, long, double, decimal, text, bytes,
/// list and map. Everything that enters a context passes through [#of].
public final class Values {
  /// How deep lists and maps may nest; deeper input is refused instead of overflowing the stack.
  public static final int NESTING_MAX = 256;

  /// How many digits a decimal may have, and how far its point may lie from them.
  public static final int DIGITS_MAX = 10_000;

  private static final double BITS_PER_DIGIT = 3.33;
  static final int DECIMAL_BITS_MAX = (int) (DIGITS_MAX * BITS_PER_DIGIT);
  static final int HEADER_BYTES = 2;

  private Values() {}

  /// Returns the canonical form of a value, or refuses it with a sentence that names its type.
  public static @Nullable Object of(@Nullable Object value) {
    return of(value, 0);
  }

  private static @Nullable Object of(@Nullable Object value, int depth) {
    return switch (value) {
      case null -> null;
      case String text -> text;
      case Long number -> number;
      case Boolean flag -> flag;
      case Double number -> number.isNaN() ? (Object) Double.NaN : number;
      case Bytes bytes -> bytes;
      case Integer number -> (long) number;
      case Short number -> (long) number;
      case Byte number -> (long) number;
      case Float number -> (double) number;
      case BigInteger number ->
          number.bitLength() < Long.SIZE
              ? (Object) number.longValue()
              : decimal(new BigDecimal(number));
      case BigDecimal number -> decimal(number);
      case byte[] bytes -> Bytes.of(bytes);
      case Enum<?> constant -> constant.name();
      case Context context -> map(context, depth);
      case StructValue struct -> {
        requireShallow(depth + struct.nesting() - 1);
        yield struct;
      }
      case Collection<?> items -> list(items, depth);
      case Map<?, ?> map -> map(map, depth);
      default ->
          throw new IllegalArgumentException(
              "a context holds null, boolean, long, double, decimal, text, bytes, lists and maps;"
                  + " got "
                  + value.getClass().getName());
    };
  }

  /// A decimal keeps its scale: 42.00 is an amount with two decimals, and stays one.
  static BigDecimal decimal(BigDecimal number) {
    boolean isFar = Math.abs((long) number.scale()) > DIGITS_MAX;
    if (isFar && number.signum() == 0) {
      return BigDecimal.ZERO;
    }
    if (isFar || number.unscaledValue().bitLength() > DECIMAL_BITS_MAX) {
      throw new IllegalArgumentException(
          "a decimal has at most " + DIGITS_MAX + " digits and an exponent of at most that size");
    }
    return number;
  }

  private static List<@Nullable Object> list(Collection<?> items, int depth) {
    requireShallow(depth);
    List<@Nullable Object> copy = new ArrayList<>(items.size());
    for (Object item : items) {
      copy.add(of(item, depth + 1));
    }
    return Collections.unmodifiableList(copy);
  }

  private static Map<String, @Nullable Object> map(Map<?, ?> entries, int depth) {
    requireShallow(depth);
    TreeMap<String, @Nullable Object> copy = new TreeMap<>();
    for (Map.Entry<?, ?> entry : entries.entrySet()) {
      if (!(entry.getKey() instanceof String key)) {
        throw new IllegalArgumentException(
            "a map in a context has text keys; got " + entry.getKey());
      }
      copy.put(key, of(entry.getValue(), depth + 1));
    }
    return Collections.unmodifiableMap(copy);
  }

  /// What a context holds is canonical, if not too deep in this place.
  private static Map<String, @Nullable Object> map(Context context, int depth) {
    requireShallow(depth);
    TreeMap<String, @Nullable Object> copy = new TreeMap<>();
    context.forEach((key, value) -> {
      boolean nests = value instanceof List || value instanceof Map;
      copy.put(key, nests ? of(value, depth + 1) : value);
    });
    return Collections.unmodifiableMap(copy);
  }

  private static void requireShallow(int depth) {
    if (depth >= NESTING_MAX) {
      throw new IllegalArgumentException("a value nests deeper than " + NESTING_MAX);
    }
  }

  /// How many lists and maps of a canonical value are inside each other.
  static int nesting(@Nullable Object value) {
    int deepest = 0;
    switch (value) {
      case StructValue struct -> deepest = struct.nesting() - 1;
      case List<?> items -> {
        for (Object item : items) {
          deepest = Math.max(deepest, nesting(item));
        }
      }
      case Map<?, ?> entries -> {
        for (Object item : entries.values()) {
          deepest = Math.max(deepest, nesting(item));
        }
      }
      case null, default -> {
        return 0;
      }
    }
    return deepest + 1;
  }

  /// Roughly the encoded size of a canonical value in bytes; the measure of the context limit.
  static int weight(@Nullable Object value) {
    return switch (value) {
      case null -> 1;
      case String text -> HEADER_BYTES + text.length();
      case Bytes bytes -> HEADER_BYTES + bytes.length();
      case BigDecimal number -> HEADER_BYTES + number.precision() / 2;
      case List<?> items -> {
        int sum = HEADER_BYTES;
        for (Object item : items) {
          sum += weight(item);
        }
        yield sum;
      }
      case StructValue struct -> struct.weight();
      case Map<?, ?> entries -> {
        int sum = HEADER_BYTES;
        for (Map.Entry<?, ?> entry : entries.entrySet()) {
          sum += weight(entry.getKey()) + weight(entry.getValue());
        }
        yield sum;
      }
      default -> Long.BYTES;
    };
  }
}
