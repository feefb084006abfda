package dev.damask.cli.command;

import dev.damask.value.Bytes;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Values of contexts as JSON that reads back to the very same values. What JSON has no word for is
/// an object with one tag: `$decimal`, `$double` (not finite), `$bytes`; an object that looks like
/// one is wrapped in `$map`.
final class TaggedValues {
  private TaggedValues() {}

  static @Nullable Object write(@Nullable Object value) {
    return switch (value) {
      case BigDecimal number -> Map.of("$decimal", number.toString());
      case Bytes bytes -> Map.of("$bytes", HexFormat.of().formatHex(bytes.toArray()));
      case Double number when !Double.isFinite(number) -> Map.of("$double", number.toString());
      case List<?> list -> {
        List<@Nullable Object> copy = new ArrayList<>(list.size());
        list.forEach(item -> copy.add(write(item)));
        yield copy;
      }
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> copy = new LinkedHashMap<>();
        map.forEach((key, item) -> copy.put(String.valueOf(key), write(item)));
        yield isTagged(copy) ? Map.of("$map", copy) : copy;
      }
      case null, default -> value;
    };
  }

  private static boolean isTagged(Map<?, ?> map) {
    return map.size() == 1 && String.valueOf(map.keySet().iterator().next()).startsWith("$");
  }

  static @Nullable Object read(@Nullable Object value) {
    return switch (value) {
      case List<?> list -> {
        List<@Nullable Object> copy = new ArrayList<>(list.size());
        list.forEach(item -> copy.add(read(item)));
        yield copy;
      }
      case Map<?, ?> map when isTagged(map) -> tagged(map);
      case Map<?, ?> map -> entries(map);
      case null, default -> value;
    };
  }

  private static Map<String, @Nullable Object> entries(Map<?, ?> map) {
    Map<String, @Nullable Object> copy = new LinkedHashMap<>();
    map.forEach((key, item) -> copy.put(String.valueOf(key), read(item)));
    return copy;
  }

  private static Object tagged(Map<?, ?> map) {
    if (map.get("$map") instanceof Map<?, ?> plain) {
      return entries(plain);
    }
    if (map.get("$decimal") instanceof String digits) {
      return new BigDecimal(digits);
    }
    if (map.get("$double") instanceof String digits) {
      return Double.valueOf(digits);
    }
    if (map.get("$bytes") instanceof String hex) {
      return Bytes.of(HexFormat.of().parseHex(hex));
    }
    throw new IllegalArgumentException("unknown tag " + map.keySet());
  }
}
