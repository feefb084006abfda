package dev.damask.document;

import dev.damask.task.Bytes;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Values as JSON text in one form only: keys sorted, no space, the shortest escapes. It names
/// things in program hashes and fills lists and maps into texts.
final class CanonicalJson {
  private CanonicalJson() {}

  static String text(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(@Nullable Object value, StringBuilder out) {
    switch (value) {
      case String text -> quote(text, out);
      case Bytes bytes -> quote(bytes.toString(), out);
      case List<?> list -> {
        out.append('[');
        for (int i = 0; i < list.size(); i++) {
          out.append(i == 0 ? "" : ",");
          write(list.get(i), out);
        }
        out.append(']');
      }
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> sorted = new TreeMap<>();
        map.forEach((key, entry) -> sorted.put(String.valueOf(key), entry));
        out.append('{');
        boolean first = true;
        for (Map.Entry<String, @Nullable Object> entry : sorted.entrySet()) {
          out.append(first ? "" : ",");
          first = false;
          quote(entry.getKey(), out);
          out.append(':');
          write(entry.getValue(), out);
        }
        out.append('}');
      }
      case null, default -> out.append(value);
    }
  }

  static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ') {
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
