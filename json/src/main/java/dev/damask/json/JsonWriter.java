package dev.damask.json;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Writes values as JSON in three forms. Values are strings, numbers, booleans, nulls, collections,
/// maps and [Json] trees; any other object is written as its text.
///
/// - [#canonical]: sorted keys, no spaces, the shortest escapes. It is stored and hashed, so its
///   bytes never change.
/// - [#line]: one line for people and programs. Keys keep their order, and no character is left
///   unescaped that a terminal would interpret.
/// - [#pretty]: several lines for people. Keys keep their order, and values that fit are on one
///   line.
public final class JsonWriter {
  private static final char DELETE = 0x7F;
  private static final int LINE_MAX = 80;

  private enum Form {
    CANONICAL,
    LINE,
    PRETTY
  }

  private final Form form;
  private final String comma;
  private final String colon;
  private final StringBuilder out;

  private JsonWriter(Form form, StringBuilder out) {
    this.form = form;
    this.comma = form == Form.CANONICAL ? "," : ", ";
    this.colon = form == Form.CANONICAL ? ":" : ": ";
    this.out = out;
  }

  /// Returns the canonical form.
  public static String canonical(@Nullable Object value) {
    return new JsonWriter(Form.CANONICAL, new StringBuilder()).flat(value).toString();
  }

  /// Returns the form on one line.
  public static String line(@Nullable Object value) {
    return new JsonWriter(Form.LINE, new StringBuilder()).flat(value).toString();
  }

  /// Returns the form on several lines, with two spaces per level.
  public static String pretty(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    new JsonWriter(Form.PRETTY, out).indented(value, "");
    return out.append('\n').toString();
  }

  /// Creates an object from alternating keys and values. The keys keep their order.
  public static Map<String, @Nullable Object> object(@Nullable Object... entries) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < entries.length; i += 2) {
      map.put(String.valueOf(entries[i]), entries[i + 1]);
    }
    return map;
  }

  private StringBuilder flat(@Nullable Object value) {
    switch (value) {
      case String text -> quote(text);
      case Json json -> tree(json);
      case Double number when !Double.isFinite(number) -> quote(number.toString());
      case Collection<?> list -> {
        String before = "[";
        for (Object item : list) {
          out.append(before);
          before = comma;
          flat(item);
        }
        out.append(list.isEmpty() ? "[]" : "]");
      }
      case Map<?, ?> map -> {
        String before = "{";
        for (Map.Entry<?, ?> entry : ordered(map).entrySet()) {
          out.append(before);
          before = comma;
          quote(String.valueOf(entry.getKey()));
          out.append(colon);
          flat(entry.getValue());
        }
        out.append(map.isEmpty() ? "{}" : "}");
      }
      case Number number -> out.append(number);
      case Boolean flag -> out.append(flag);
      case null -> out.append("null");
      case Object other -> quote(other.toString());
    }
    return out;
  }

  /// Writes a tree. Its numbers keep their digits.
  private void tree(Json json) {
    switch (json) {
      case Json.Text(var at, var value) -> quote(value);
      case Json.Numeral(var at, var digits) -> out.append(digits);
      case Json.Flag(var at, var value) -> out.append(value);
      case Json.Nothing nothing -> out.append("null");
      case Json.Items(var at, var items) -> flat(items);
      case Json.Fields fields -> flat(fields.entries());
    }
  }

  private Map<?, ?> ordered(Map<?, ?> map) {
    if (form != Form.CANONICAL
        || (map instanceof SortedMap<?, ?> sorted && sorted.comparator() == null)) {
      return map;
    }
    Map<String, @Nullable Object> sorted = new TreeMap<>();
    map.forEach((key, entry) -> sorted.put(String.valueOf(key), entry));
    return sorted;
  }

  private void indented(@Nullable Object value, String indent) {
    int start = out.length();
    flat(value);
    if (indent.length() + out.length() - start <= LINE_MAX) {
      return;
    }
    String inner = indent + "  ";
    String next = "\n" + inner;
    switch (value) {
      case Json.Items(var at, var items) -> {
        out.setLength(start);
        indented(items, indent);
      }
      case Json.Fields fields -> {
        out.setLength(start);
        indented(fields.entries(), indent);
      }
      case Map<?, ?> map -> {
        out.setLength(start);
        out.append('{');
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          out.append(next);
          next = ",\n" + inner;
          quote(String.valueOf(entry.getKey()));
          out.append(colon);
          indented(entry.getValue(), inner);
        }
        out.append('\n').append(indent).append('}');
      }
      case Collection<?> list -> {
        out.setLength(start);
        out.append('[');
        for (Object item : list) {
          out.append(next);
          next = ",\n" + inner;
          indented(item, inner);
        }
        out.append('\n').append(indent).append(']');
      }
      case null, default -> {}
    }
  }

  private void quote(String text) {
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
          boolean hidden = form == Form.LINE && (c == DELETE || Character.isSurrogate(c));
          if (c < ' ' || hidden) {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  /// Returns whether a character needs no escape in any form.
  private static boolean isPlain(char c) {
    return c >= ' ' && c < DELETE && c != '"' && c != '\\';
  }
}
