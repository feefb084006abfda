package dev.damask.document;

import dev.damask.task.Bytes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Values as JSON text on one line. The canonical form has sorted keys, no space and the shortest
/// escapes; it names things in hashes and fills lists and maps into texts. The form for people has
/// its keys in the order they are given and shows no character that a terminal would obey.
public final class CanonicalJson {
  private static final char DELETE = 0x7F;

  private final boolean isForPeople;
  private final StringBuilder out;

  private CanonicalJson(boolean isForPeople, StringBuilder out) {
    this.isForPeople = isForPeople;
    this.out = out;
  }

  /// The canonical form.
  public static String text(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    append(value, out);
    return out.toString();
  }

  /// As [#text], behind what has been written before.
  public static void append(@Nullable Object value, StringBuilder out) {
    new CanonicalJson(false, out).write(value);
  }

  /// The form for people.
  public static String line(@Nullable Object value) {
    CanonicalJson json = new CanonicalJson(true, new StringBuilder());
    json.write(value);
    return json.out.toString();
  }

  private void write(@Nullable Object value) {
    switch (value) {
      case String text -> quote(text, out, isForPeople);
      case Bytes bytes -> quote(bytes.toString(), out, isForPeople);
      case Double number when !Double.isFinite(number) ->
          quote(number.toString(), out, isForPeople);
      case List<?> list -> {
        out.append('[');
        for (int i = 0; i < list.size(); i++) {
          out.append(i == 0 ? "" : isForPeople ? ", " : ",");
          write(list.get(i));
        }
        out.append(']');
      }
      case SortedMap<?, ?> map when map.comparator() == null -> object(map);
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> entries =
            isForPeople ? new LinkedHashMap<>() : new TreeMap<>();
        map.forEach((key, entry) -> entries.put(String.valueOf(key), entry));
        object(entries);
      }
      case null, default -> out.append(value);
    }
  }

  private void object(Map<?, ? extends @Nullable Object> entries) {
    out.append('{');
    boolean first = true;
    for (Map.Entry<?, ? extends @Nullable Object> entry : entries.entrySet()) {
      out.append(first ? "" : isForPeople ? ", " : ",");
      first = false;
      quote(String.valueOf(entry.getKey()), out, isForPeople);
      out.append(isForPeople ? ": " : ":");
      write(entry.getValue());
    }
    out.append('}');
  }

  /// Appends a text in quotes, with the shortest escapes.
  public static void quote(String text, StringBuilder out) {
    quote(text, out, false);
  }

  private static void quote(String text, StringBuilder out, boolean isForPeople) {
    out.append('"');
    int plain = 0;
    while (plain < text.length() && isPlain(text.charAt(plain))) {
      plain++;
    }
    out.append(text, 0, plain);
    for (int i = plain; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ' || (isForPeople && (c == DELETE || Character.isSurrogate(c)))) {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  /// Whether a character stands for itself in every form.
  private static boolean isPlain(char c) {
    return c >= ' ' && c < DELETE && c != '"' && c != '\\';
  }
}
