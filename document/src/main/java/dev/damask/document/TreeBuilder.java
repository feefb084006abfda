package dev.damask.document;

import dev.damask.document.DocumentProblem.Finding;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Builds a tree out of the events of a parser and enforces every limit while it grows, so that no
/// text can make it large or deep.
final class TreeBuilder {
  /// A larger exponent makes a number that no computation can use and every conversion fears.
  private static final int EXPONENT_MAX = 1_000;

  private final String source;
  private final DocumentLimits limits;
  private final Deque<Open> open = new ArrayDeque<>();
  private @Nullable DocumentNode root;
  private int values;

  TreeBuilder(String source, DocumentLimits limits) {
    this.source = source;
    this.limits = limits;
  }

  /// A list or an object that is still being read.
  private static final class Open {
    final Position at;
    final @Nullable List<DocumentNode> items;
    final Map<String, DocumentNode> fields = new LinkedHashMap<>();
    final List<Position> keys = new ArrayList<>();
    @Nullable String key;

    Open(Position at, boolean list) {
      this.at = at;
      this.items = list ? new ArrayList<>() : null;
    }
  }

  DocumentProblem problem(Position at, String message) {
    return new DocumentProblem(List.of(new Finding(source, path(), at, message)));
  }

  void begin(Position at, boolean list) {
    if (open.size() == limits.nesting()) {
      throw problem(at, "a document nests at most " + limits.nesting() + " deep");
    }
    count(at);
    open.push(new Open(at, list));
  }

  void end() {
    Open done = open.pop();
    DocumentNode node =
        done.items != null
            ? new DocumentNode.Items(done.at, Collections.unmodifiableList(done.items))
            : new DocumentNode.Fields(done.at, Collections.unmodifiableMap(done.fields), done.keys);
    place(node);
  }

  /// Whether an object is open that waits for its next key.
  boolean expectsKey() {
    Open current = open.peek();
    return current != null && current.items == null && current.key == null;
  }

  void key(Position at, String name) {
    requireSoundText(at, name);
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > limits.nameBytes()) {
      throw problem(
          at, "a name has at most " + limits.nameBytes() + " bytes, found one of " + bytes);
    }
    Open object = open.element();
    DocumentNode first = object.fields.get(name);
    if (first != null) {
      throw problem(
          at, "the key '" + name + "' is there twice, first at line " + first.at().line());
    }
    object.key = name;
    object.keys.add(at);
  }

  void text(Position at, String value) {
    requireSoundText(at, value);
    // A text of few characters cannot have too many bytes; most are short.
    if (value.length() > limits.textBytes() / 3) {
      int bytes = value.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > limits.textBytes()) {
        throw problem(
            at, "a text has at most " + limits.textBytes() + " bytes, found one of " + bytes);
      }
    }
    add(new DocumentNode.Text(at, value));
  }

  void flag(Position at, boolean value) {
    add(new DocumentNode.Flag(at, value));
  }

  void none(Position at) {
    add(new DocumentNode.Empty(at));
  }

  /// A number in decimal notation, already known to be one.
  void number(Position at, String digits) {
    if (digits.length() > limits.numberDigits()) {
      throw problem(
          at,
          "a number has at most " + limits.numberDigits() + " digits, found " + digits.length());
    }
    boolean whole = digits.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E');
    if (whole) {
      BigInteger value = new BigInteger(digits.startsWith("+") ? digits.substring(1) : digits);
      add(
          new DocumentNode.Numeral(
              at,
              value.bitLength() < Long.SIZE ? (Number) value.longValue() : new BigDecimal(value)));
      return;
    }
    int exponentAt = Math.max(digits.indexOf('e'), digits.indexOf('E'));
    if (exponentAt >= 0 && isLarge(digits.substring(exponentAt + 1))) {
      throw problem(at, "the exponent of a number is at most " + EXPONENT_MAX);
    }
    double value = Double.parseDouble(digits);
    if (Double.isInfinite(value)) {
      throw problem(at, "a number with a fraction or an exponent is at most 1.8e308");
    }
    add(new DocumentNode.Numeral(at, value));
  }

  private static boolean isLarge(String exponent) {
    String digits = exponent.replaceFirst("^[+-]?0*", "");
    return digits.length() > 4 || (!digits.isEmpty() && Integer.parseInt(digits) > EXPONENT_MAX);
  }

  private void add(DocumentNode node) {
    count(node.at());
    place(node);
  }

  private void count(Position at) {
    if (++values > limits.values()) {
      throw problem(at, "a document has at most " + limits.values() + " values");
    }
  }

  private void place(DocumentNode node) {
    Open parent = open.peek();
    if (parent == null) {
      root = node;
    } else if (parent.items != null) {
      parent.items.add(node);
    } else if (parent.key != null) {
      parent.fields.put(parent.key, node);
      parent.key = null;
    }
  }

  DocumentNode root(Position end) {
    if (root == null) {
      throw problem(end, "the document is empty");
    }
    return root;
  }

  /// Refuses half of a surrogate pair, which no UTF-8 can hold.
  private void requireSoundText(Position at, String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < value.length()
          && Character.isLowSurrogate(value.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        throw problem(at, "a text holds half a character, \\u%04x".formatted((int) c));
      }
    }
  }

  /// Where the parser is, as a path.
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
