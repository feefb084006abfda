package dev.damask.cli;

import dev.damask.task.Bytes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes values as JSON on one line, keys in the order they are given.
final class Json {
  private Json() {}

  static String text(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  /// An object whose keys keep their order; keys and values take turns.
  static Map<String, @Nullable Object> object(@Nullable Object... entries) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < entries.length; i += 2) {
      map.put(String.valueOf(entries[i]), entries[i + 1]);
    }
    return map;
  }

  static void write(@Nullable Object value, StringBuilder out) {
    switch (value) {
      case Map<?, ?> map -> {
        out.append('{');
        boolean first = true;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          out.append(first ? "" : ", ");
          first = false;
          quote(String.valueOf(entry.getKey()), out);
          out.append(": ");
          write(entry.getValue(), out);
        }
        out.append('}');
      }
      case List<?> list -> {
        out.append('[');
        for (int i = 0; i < list.size(); i++) {
          out.append(i == 0 ? "" : ", ");
          write(list.get(i), out);
        }
        out.append(']');
      }
      case String text -> quote(text, out);
      case Bytes bytes -> quote(bytes.toString(), out);
      case Double number when !Double.isFinite(number) -> quote(number.toString(), out);
      case null, default -> out.append(value);
    }
  }

  private static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ' || c == 0x7F || Character.isSurrogate(c)) {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
