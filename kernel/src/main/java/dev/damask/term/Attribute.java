package dev.damask.term;

import dev.damask.task.Expression;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// A value of a case under which the case can be found. Attributes are not part of the program
/// hash: a workflow may get or lose one while cases of it are running.
///
/// @param type what the value must be; [Type#ANY] accepts every type that can be indexed
/// @param value computes the value from the context; null means that the case has no such value
/// @param reads the context keys that the value depends on; empty if they are unknown
public record Attribute(String name, Type type, Expression value, List<String> reads) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]*");

  /// The words that queries use for other properties of a case.
  private static final List<String> RESERVED =
      List.of("and", "case", "false", "not", "or", "started", "status", "true", "waitingfor");

  public Attribute {
    Names.require("attribute", name);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "attribute '"
              + name
              + "': a name has letters, digits, '_' and '-', and does not begin with a digit");
    }
    if (isReserved(name)) {
      throw new IllegalArgumentException(
          "attribute '" + name + "': queries use this word; choose another name");
    }
    reads = List.copyOf(reads);
  }

  private static boolean isReserved(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return RESERVED.contains(lower) || lower.equals("workflow");
  }

  /// What the values of an attribute are.
  public enum Type {
    /// A value of any of the other types.
    ANY,
    TEXT,
    NUMBER,
    FLAG,
    /// A point in time.
    TIME
  }
}
