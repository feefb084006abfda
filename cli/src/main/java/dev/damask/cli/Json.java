package dev.damask.cli;

import dev.damask.document.CanonicalJson;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes values as JSON on one line, keys in the order they are given.
final class Json {
  private Json() {}

  static String text(@Nullable Object value) {
    return CanonicalJson.line(value);
  }

  /// An object whose keys keep their order; keys and values take turns.
  static Map<String, @Nullable Object> object(@Nullable Object... entries) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < entries.length; i += 2) {
      map.put(String.valueOf(entries[i]), entries[i + 1]);
    }
    return map;
  }
}
