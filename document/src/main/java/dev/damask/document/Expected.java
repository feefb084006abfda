package dev.damask.document;

import java.util.Collection;
import java.util.List;

/// The words of messages: what was expected, what was found, what was probably meant.
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
              ? "a whole number, at least " + min
              : "a whole number from " + min + " to " + max;
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

  /// A value as a person would point at it.
  static String shown(DocumentNode node) {
    return switch (node) {
      case DocumentNode.Text(var at, var text) ->
          text.isEmpty() ? "empty text" : "'" + cut(text) + "'";
      case DocumentNode.Numeral(var at, var number) -> cut(number.toString());
      case DocumentNode.Flag(var at, var flag) -> String.valueOf(flag);
      case DocumentNode.Empty empty -> "null";
      case DocumentNode.Items items -> "a list";
      case DocumentNode.Fields fields -> "an object";
    };
  }

  static String cut(String text) {
    String line = text.replaceAll("\\p{Cntrl}+", " ");
    return line.length() <= SHOWN_MAX ? line : line.substring(0, SHOWN_MAX) + "…";
  }

  /// Names for a message, however many there are.
  static String list(Collection<String> names) {
    if (names.isEmpty()) {
      return "none";
    }
    String shown = String.join(", ", names.stream().limit(6).map(Expected::cut).toList());
    return names.size() > 6 ? shown + ", …" : shown;
  }

  /// The known name nearest to the one written; empty when none is near.
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

  /// How many letters must be changed, added, removed or swapped to get from one word to the other.
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
