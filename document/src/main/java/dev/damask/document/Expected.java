package dev.damask.document;

import dev.damask.json.Json;
import java.util.Collection;
import java.util.List;

/// The phrases of messages: the expected value, the value found, and the name that was probably
/// meant.
final class Expected {
  private static final int SHOWN_MAX = 40;

  private Expected() {}

  static String of(ValueRule rule) {
    return switch (rule) {
      case ValueRule.Text any -> "text";
      case ValueRule.Name any -> "a name";
      case ValueRule.Formula any -> "an expression";
      case ValueRule.Time any -> "a duration such as PT10S or a number of seconds";
      case ValueRule.Whole(var min, var max) ->
          max >= Integer.MAX_VALUE
              ? "an integer of at least " + min
              : "an integer between " + min + " and " + max;
      case ValueRule.Numeral any -> "a number";
      case ValueRule.Flag any -> "true or false";
      case ValueRule.Yes any -> "true";
      case ValueRule.Words(var words) ->
          words.size() == 1 ? "'" + words.getFirst() + "'" : alternatives(words);
      case ValueRule.Anything any -> "a value";
      case ValueRule.ListOf(var item, var min) -> "a list";
      case ValueRule.MapOf any -> "an object";
      case ValueRule.Shaped(var shape) -> "an object (" + shape.name() + ")";
      case ValueRule.Either(var rules) ->
          String.join(" or ", rules.stream().map(Expected::of).distinct().toList());
      case ValueRule.TermRule any -> "a term (an object or a list)";
      case ValueRule.TermOr any -> "a term (an object or a list)";
    };
  }

  private static String alternatives(List<String> words) {
    int last = words.size() - 1;
    return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
  }

  /// Returns a value as a message shows it.
  static String shown(Json node) {
    return switch (node) {
      case Json.Text(var at, var text) ->
          text.isEmpty() ? "an empty string" : "'" + cut(text) + "'";
      case Json.Numeral(var at, var digits) -> cut(digits);
      case Json.Flag(var at, var flag) -> String.valueOf(flag);
      case Json.Nothing empty -> "null";
      case Json.Items items -> "a list";
      case Json.Fields fields -> "an object";
    };
  }

  static String cut(String text) {
    String line = text.replaceAll("\\p{Cntrl}+", " ");
    return line.length() <= SHOWN_MAX ? line : line.substring(0, SHOWN_MAX) + "…";
  }

  /// Returns names as a list for a message, shortened if there are many.
  static String list(Collection<String> names) {
    if (names.isEmpty()) {
      return "none";
    }
    String shown = String.join(", ", names.stream().limit(6).map(Expected::cut).toList());
    return names.size() > 6 ? shown + ", …" : shown;
  }

  /// Returns the most similar known name, or an empty string if none is similar.
  static String nearest(String written, Collection<String> known) {
    String best = "";
    int least = Math.max(1, Math.min(written.length(), 9) / 3) + 1;
    for (String name : known) {
      int distance = written.equalsIgnoreCase(name) ? 0 : distance(written, name);
      if (distance < least) {
        least = distance;
        best = name;
      }
    }
    return best;
  }

  /// Returns the number of characters to change, add, remove or swap to turn one word into the
  /// other.
  private static int distance(String one, String other) {
    if (Math.abs(one.length() - other.length()) > 3) {
      return Integer.MAX_VALUE;
    }
    int[][] cost = new int[one.length() + 1][other.length() + 1];
    for (int i = 0; i <= one.length(); i++) {
      for (int j = 0; j <= other.length(); j++) {
        if (i == 0 || j == 0) {
          cost[i][j] = i + j;
          continue;
        }
        int change = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
        cost[i][j] =
            Math.min(Math.min(cost[i - 1][j], cost[i][j - 1]) + 1, cost[i - 1][j - 1] + change);
        boolean swapped =
            i > 1
                && j > 1
                && one.charAt(i - 1) == other.charAt(j - 2)
                && one.charAt(i - 2) == other.charAt(j - 1);
        if (swapped) {
          cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
      }
    }
    return cost[one.length()][other.length()];
  }
}
