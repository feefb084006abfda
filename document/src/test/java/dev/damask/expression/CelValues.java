package dev.damask.expression;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import dev.cel.runtime.CelUnknownSet;
import dev.damask.value.Bytes;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Values of a context as the library sees them, and back.
final class CelValues {
  private CelValues() {}

  /// The library made something that no context can hold.
  static final class NoContextValue extends Exception {
    private static final long serialVersionUID = 1L;

    NoContextValue(String message) {
      super(message, null, false, false);
    }
  }

  static Object toCel(@Nullable Object value) {
    return switch (value) {
      case null -> NullValue.NULL_VALUE;
      case Bytes bytes -> CelByteString.of(bytes.toArray());
      case BigDecimal number -> number.doubleValue();
      case List<?> list -> list.stream().map(CelValues::toCel).toList();
      case Map<?, ?> map -> {
        Map<Object, Object> copy = new LinkedHashMap<>();
        map.forEach((key, entry) -> copy.put(key, toCel(entry)));
        yield copy;
      }
      default -> value;
    };
  }

  static @Nullable Object fromCel(@Nullable Object value) throws NoContextValue {
    return switch (value) {
      case null -> null;
      case NullValue none -> null;
      case Long number -> number;
      case Double number -> number;
      case Boolean flag -> flag;
      case String text -> text;
      case UnsignedLong number -> new BigDecimal(number.bigIntegerValue());
      case CelByteString bytes -> Bytes.of(bytes.toByteArray());
      case List<?> list -> {
        List<@Nullable Object> copy = new ArrayList<>(list.size());
        for (Object item : list) {
          copy.add(fromCel(item));
        }
        yield Collections.unmodifiableList(copy);
      }
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> copy = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          if (!(entry.getKey() instanceof String key)) {
            throw new NoContextValue("a map has text keys, found " + entry.getKey());
          }
          copy.put(key, fromCel(entry.getValue()));
        }
        yield Collections.unmodifiableMap(copy);
      }
      case CelUnknownSet missing -> throw new NoContextValue("a key it reads is missing");
      default ->
          throw new NoContextValue(
              "a context cannot hold a " + value.getClass().getSimpleName() + "; use string()");
    };
  }
}
