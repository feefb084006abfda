package dev.damask.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Builds a tree from the events of a parser. It checks every limit while the tree grows, so that a
/// text cannot make it large or deep. Each method throws [JsonProblem] if a limit is exceeded.
public final class TreeBuilder {
  private final JsonLimits limits;
  private final Deque<Open> open = new ArrayDeque<>();
  private @Nullable Json root;
  private int values;

  /// Creates a builder with these limits.
  public TreeBuilder(JsonLimits limits) {
    this.limits = limits;
  }

  /// A list or an object whose end has not been read.
  private static final class Open {
    final Position at;
    final @Nullable List<Json> items;
    final Map<String, Json> entries;
    final List<Position> keys;
    @Nullable String key;

    Open(Position at, boolean list) {
      this.at = at;
      this.items = list ? new ArrayList<>(2) : null;
      this.entries = list ? Map.of() : new LinkedHashMap<>(4);
      this.keys = list ? List.of() : new ArrayList<>(2);
    }
  }

  /// Creates a problem at a position, with the path of the value that is being read.
  public JsonProblem problem(Position at, String message) {
    return new JsonProblem(at, path(), message);
  }

  /// Starts a list or an object.
  public void begin(Position at, boolean list) {
    if (open.size() == limits.nesting()) {
      throw problem(at, "a document must nest at most " + limits.nesting() + " levels deep");
    }
    count(at);
    open.push(new Open(at, list));
  }

  /// Ends the list or object that was started last.
  public void end() {
    Open done = open.pop();
    place(
        done.items != null
            ? new Json.Items(done.at, Collections.unmodifiableList(done.items))
            : new Json.Fields(done.at, Collections.unmodifiableMap(done.entries), done.keys));
  }

  /// Returns whether the next value is the key of an object.
  public boolean expectsKey() {
    Open current = open.peek();
    return current != null && current.items == null && current.key == null;
  }

  /// Adds the next key of an object.
  public void key(Position at, String name) {
    requirePaired(at, name);
    requireBytes(at, name, limits.nameBytes(), "a key");
    Open object = open.element();
    Json first = object.entries.get(name);
    if (first != null) {
      throw problem(at, "duplicate key '" + name + "', first at line " + first.at().line());
    }
    object.key = name;
    object.keys.add(at);
  }

  /// Adds a string.
  public void text(Position at, String value) {
    requirePaired(at, value);
    requireBytes(at, value, limits.textBytes(), "a string");
    add(new Json.Text(at, value));
  }

  private void requireBytes(Position at, String value, int max, String what) {
    // A string of few characters cannot exceed the limit, so most are not encoded.
    if (value.length() > max / 3) {
      int bytes = value.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > max) {
        throw problem(at, what + " must have at most " + max + " bytes, got " + bytes);
      }
    }
  }

  /// Adds a boolean.
  public void flag(Position at, boolean value) {
    add(new Json.Flag(at, value));
  }

  /// Adds a null.
  public void none(Position at) {
    add(new Json.Nothing(at));
  }

  /// Adds a number, which must have the syntax of a JSON number.
  public void number(Position at, String digits) {
    if (digits.length() > limits.numberDigits()) {
      throw problem(
          at,
          "a number must have at most "
              + limits.numberDigits()
              + " digits, got "
              + digits.length());
    }
    int exponentAt = Math.max(digits.indexOf('e'), digits.indexOf('E'));
    if (exponentAt >= 0 && isLarge(digits.substring(exponentAt + 1))) {
      throw problem(at, "the exponent of a number must be at most " + limits.exponent());
    }
    Json.Numeral numeral = new Json.Numeral(at, digits);
    if (numeral.number() instanceof Double value && value.isInfinite()) {
      throw problem(at, "a number with a fraction or an exponent must be at most 1.8e308");
    }
    add(numeral);
  }

  private boolean isLarge(String exponent) {
    String digits = exponent.replaceFirst("^[+-]?0*", "");
    return digits.length() > 9
        || (!digits.isEmpty() && Integer.parseInt(digits) > limits.exponent());
  }

  private void add(Json value) {
    count(value.at());
    place(value);
  }

  private void count(Position at) {
    if (++values > limits.values()) {
      throw problem(at, "a document must have at most " + limits.values() + " values");
    }
  }

  private void place(Json value) {
    Open parent = open.peek();
    if (parent == null) {
      root = value;
    } else if (parent.items != null) {
      parent.items.add(value);
    } else if (parent.key != null) {
      parent.entries.put(parent.key, value);
      parent.key = null;
    }
  }

  /// Returns the tree after the last event.
  ///
  /// @param end the position of the end of the text
  public Json root(Position end) {
    if (root == null) {
      throw problem(end, "the document is empty");
    }
    return root;
  }

  /// Rejects an unpaired surrogate, because it has no UTF-8 encoding and so no hash.
  private void requirePaired(Position at, String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < value.length()
          && Character.isLowSurrogate(value.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        throw problem(at, "a string contains an unpaired surrogate, \\u%04x".formatted((int) c));
      }
    }
  }

  private String path() {
    StringBuilder path = new StringBuilder();
    for (var each = open.descendingIterator(); each.hasNext(); ) {
      Open part = each.next();
      if (part.items != null) {
        path.append('[').append(part.items.size()).append(']');
      } else if (part.key != null) {
        path.append(path.isEmpty() ? "" : ".").append(part.key);
      }
      if (path.length() > 200) {
        return path.substring(0, 200) + "…";
      }
    }
    return path.toString();
  }
}
