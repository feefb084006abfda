package dev.damask.document;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Values as JSON that people read: two spaces a level, keys in the order given, short lists on one
/// line.
final class PrettyJson {
  private static final int LINE_MAX = 80;

  private PrettyJson() {}

  static String text(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(value, "", out);
    return out.append('\n').toString();
  }

  private static void write(@Nullable Object value, String indent, StringBuilder out) {
    String flat = flat(value);
    if (indent.length() + flat.length() <= LINE_MAX) {
      out.append(flat);
      return;
    }
    String inner = indent + "  ";
    switch (value) {
      case Map<?, ?> map -> {
        out.append("{\n");
        for (Iterator<? extends Map.Entry<?, ?>> each = map.entrySet().iterator();
            each.hasNext(); ) {
          Map.Entry<?, ?> entry = each.next();
          out.append(inner);
          CanonicalJson.quote(String.valueOf(entry.getKey()), out);
          out.append(": ");
          write(entry.getValue(), inner, out);
          out.append(each.hasNext() ? ",\n" : "\n");
        }
        out.append(indent).append('}');
      }
      case Collection<?> list -> {
        out.append("[\n");
        for (Iterator<?> each = list.iterator(); each.hasNext(); ) {
          out.append(inner);
          write(each.next(), inner, out);
          out.append(each.hasNext() ? ",\n" : "\n");
        }
        out.append(indent).append(']');
      }
      case null, default -> out.append(flat);
    }
  }

  private static String flat(@Nullable Object value) {
    return switch (value) {
      case Map<?, ?> map ->
          "{"
              + String.join(
                  ", ",
                  map.entrySet().stream()
                      .map(entry ->
                          CanonicalJson.text(String.valueOf(entry.getKey()))
                              + ": "
                              + flat(entry.getValue()))
                      .toList())
              + "}";
      case List<?> list ->
          "[" + String.join(", ", list.stream().map(PrettyJson::flat).toList()) + "]";
      case null, default -> CanonicalJson.text(value);
    };
  }
}
