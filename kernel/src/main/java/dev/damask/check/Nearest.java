package dev.damask.check;

import java.util.Arrays;
import java.util.Collection;

/// Finds the most similar known name for a misspelt one.
public final class Nearest {
  private static final int KNOWN_MAX = 8;

  private Nearest() {}

  /// A question that names the nearest known name, or the known names when none is near.
  public static String hint(String name, Collection<String> known) {
    return hint(name, known, KNOWN_MAX);
  }

  /// As [#hint(String, Collection)], with at most so many known names.
  public static String hint(String name, Collection<String> known, int max) {
    String best = "";
    int least = Math.max(1, name.length() / 2) + 1;
    for (String candidate : known) {
      int distance = distance(name, candidate);
      if (distance < least) {
        least = distance;
        best = candidate;
      }
    }
    if (!best.isEmpty()) {
      return "did you mean '" + best + "'?";
    }
    if (known.isEmpty()) {
      return "none is declared";
    }
    return "known: " + String.join(", ", known.stream().sorted().limit(max).toList());
  }

  /// How many letters must be added, dropped, replaced or swapped with the next one to turn one
  /// text into the other.
  static int distance(String one, String other) {
    int[] before = new int[other.length() + 1];
    int[] last = new int[other.length() + 1];
    int[] row = new int[other.length() + 1];
    Arrays.setAll(row, j -> j);
    for (int i = 1; i <= one.length(); i++) {
      int[] free = before;
      before = last;
      last = row;
      row = free;
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        char mine = one.charAt(i - 1);
        char theirs = other.charAt(j - 1);
        int replaced = last[j - 1] + (mine == theirs ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(last[j], row[j - 1]) + 1);
        boolean swapped =
            i > 1 && j > 1 && mine == other.charAt(j - 2) && theirs == one.charAt(i - 2);
        row[j] = swapped ? Math.min(row[j], before[j - 2] + 1) : row[j];
      }
    }
    return row[other.length()];
  }
}
