package dev.damask.check;

import java.util.Collection;

/// Finds the name somebody probably meant.
public final class Nearest {
  private Nearest() {}

  /// A question that names the nearest known name, or the known names when none is near.
  public static String hint(String name, Collection<String> known) {
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
    return "known: " + String.join(", ", known.stream().sorted().limit(8).toList());
  }

  /// How many letters must be added, dropped or replaced to turn one text into the other.
  static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[other.length()];
  }
}
