package dev.damask.typed;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A value that cannot be stored, or a stored value that does not have the type that is asked for.
/// The message begins with the path: `order.lines[2].due: …`.
public final class ValueException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;
  private static final int SHOWN_MAX = 100;

  private final String path;
  private final String problem;

  ValueException(String problem) {
    this("", problem, null);
  }

  private ValueException(String path, String problem, @Nullable Throwable cause) {
    super(path.isEmpty() ? problem : path + ": " + problem, cause);
    this.path = path;
    this.problem = problem;
  }

  ValueException(String problem, Throwable cause) {
    this("", problem, cause);
  }

  /// The same problem, seen from outside: `part` comes before the path.
  ValueException in(String part) {
    boolean isJoined = path.isEmpty() || path.startsWith("[");
    return new ValueException(isJoined ? part + path : part + "." + path, problem, getCause());
  }

  /// Where the value is, such as `order.lines[2].due`.
  public String path() {
    return path;
  }

  /// What is wrong, without the path.
  public String problem() {
    return problem;
  }

  /// A stored value of another type.
  static ValueException expected(String type, @Nullable Object found) {
    return new ValueException(article(type) + " is expected, found " + described(found));
  }

  private static String article(String type) {
    boolean isVowel = "AEIOUaeiou".indexOf(type.charAt(0)) >= 0 && !type.startsWith("U");
    return (isVowel ? "an " : "a ") + type;
  }

  private static String described(@Nullable Object found) {
    return switch (found) {
      case null -> "null";
      case String text -> "the string \"" + cut(text) + "\"";
      case Long number -> "the integer " + number;
      case Double number -> "the double " + number;
      case BigDecimal number -> "the decimal " + cut(number.toString());
      case Boolean flag -> "the boolean " + flag;
      case List<?> list -> "a list of " + list.size();
      case Map<?, ?> map -> "a map with " + cut(map.keySet().toString());
      default -> "a value of type " + found.getClass().getSimpleName();
    };
  }

  private static String cut(String text) {
    return text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "…";
  }
}
