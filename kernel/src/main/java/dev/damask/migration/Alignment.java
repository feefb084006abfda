package dev.damask.migration;

import dev.damask.program.Code;
import dev.damask.program.ConstructTree.Construct;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Which construct of a home is which in another version of that home.
///
/// A name that is written once in both is its own partner, wherever it is. Everything else (what
/// has no name, or a name that is written several times) is found by its neighbours: the two texts
/// are laid side by side so that as much as possible agrees. A construct has a partner only if it
/// has the same one in *every* best arrangement; what could be one of several is left open, because
/// a guess would move a case to where it never was. A wait is the same one only if it accepts at
/// least what it accepted before: the same places (by their names, or as the mapping renames them),
/// taken or tested as before. It may accept more, and its times may change.
public final class Alignment {
  /// More pairs than this are not compared; then only names that are written once have partners.
  static final int PAIRS_MAX = 1_000_000;

  private static final int NAMED = 16;

  private final List<Construct> before;
  private final List<Construct> after;
  private final ConstructNames wording;
  private final ConstructNames newWording;
  private final TreeMap<String, Integer> counts = new TreeMap<>();
  private final TreeMap<String, Integer> newCounts = new TreeMap<>();
  private final boolean identical;

  /// The best score of the first i against the first j, and of the rest; null when not compared.
  private int @Nullable [][] heads;

  private int @Nullable [][] tails;

  /// A partner, or why there is none.
  public record Match(@Nullable Construct part, String why) {}

  Alignment(
      ConstructNames wording,
      List<Construct> before,
      ConstructNames newWording,
      List<Construct> after) {
    this.wording = wording;
    this.newWording = newWording;
    this.before = before.stream().filter(wording::isLandmark).sorted(inText()).toList();
    this.after = after.stream().filter(newWording::isLandmark).sorted(inText()).toList();
    this.before.forEach(part -> counts.merge(wording.label(part), 1, Integer::sum));
    this.after.forEach(part -> newCounts.merge(newWording.label(part), 1, Integer::sum));
    this.identical = isIdentical();
  }

  private static Comparator<Construct> inText() {
    return Comparator.comparingInt(part -> part.address());
  }

  private boolean isIdentical() {
    if (before.size() != after.size()) {
      return false;
    }
    for (int i = 0; i < before.size(); i++) {
      Construct one = before.get(i);
      Construct other = after.get(i);
      if (!wording.label(one).equals(newWording.label(other))
          || !wording.words(one).equals(newWording.words(other))
          || (!wording.isNamed(one) && !wording.names(one).equals(newWording.names(other)))) {
        return false;
      }
    }
    return true;
  }

  Match partner(Construct part) {
    int at = before.indexOf(part);
    if (identical) {
      return new Match(after.get(at), "");
    }
    String label = wording.label(part);
    int count = newCounts.getOrDefault(label, 0);
    if (count == 0) {
      return new Match(null, "has no such construct there");
    }
    if (wording.isNamed(part) && count == 1 && counts.getOrDefault(label, 0) == 1) {
      return new Match(named(label), "");
    }
    if ((long) before.size() * after.size() > PAIRS_MAX) {
      return new Match(null, "has too many constructs there to compare");
    }
    return compared(at);
  }

  private Construct named(String label) {
    for (Construct part : after) {
      if (newWording.label(part).equals(label)) {
        return part;
      }
    }
    throw new IllegalStateException("no construct has the counted label " + label);
  }

  private Match compared(int at) {
    int[][] head = heads();
    int[][] tail = tails();
    int best = tail[0][0];
    Construct found = null;
    boolean several = false;
    for (int j = 0; j < after.size(); j++) {
      int score = score(before.get(at), after.get(j));
      if (score > 0 && head[at][j] + score + tail[at + 1][j + 1] == best) {
        several |= found != null;
        found = after.get(j);
      }
    }
    for (int j = 0; j <= after.size(); j++) {
      several |= found != null && head[at][j] + tail[at + 1][j] == best;
    }
    if (found == null) {
      return new Match(null, "has no similar construct there");
    }
    return several
        ? new Match(null, "has several similar constructs there, and the match is ambiguous")
        : new Match(found, "");
  }

  private int[][] heads() {
    if (heads == null) {
      int[][] best = new int[before.size() + 1][after.size() + 1];
      for (int i = 1; i <= before.size(); i++) {
        for (int j = 1; j <= after.size(); j++) {
          int both = best[i - 1][j - 1] + score(before.get(i - 1), after.get(j - 1));
          best[i][j] = Math.max(both, Math.max(best[i - 1][j], best[i][j - 1]));
        }
      }
      heads = best;
    }
    return heads;
  }

  private int[][] tails() {
    if (tails == null) {
      int[][] best = new int[before.size() + 1][after.size() + 1];
      for (int i = before.size() - 1; i >= 0; i--) {
        for (int j = after.size() - 1; j >= 0; j--) {
          int both = best[i + 1][j + 1] + score(before.get(i), after.get(j));
          best[i][j] = Math.max(both, Math.max(best[i + 1][j], best[i][j + 1]));
        }
      }
      tails = best;
    }
    return tails;
  }

  /// How much speaks for two constructs being the same one; 0 when they cannot be.
  private int score(Construct one, Construct other) {
    if (!wording.label(one).equals(newWording.label(other))) {
      return 0;
    }
    if (wording.isNamed(one)) {
      return NAMED;
    }
    if (one.operation() == Code.AWAIT
        && !newWording.accepts(other).containsAll(wording.accepts(one))) {
      return 0; // whatever else agrees: a wait for `go` is not one for `no`
    }
    TreeSet<String> names = wording.names(one);
    TreeSet<String> newNames = newWording.names(other);
    int shared = 0;
    for (String name : names) {
      shared += newNames.contains(name) ? 1 : 0;
    }
    if (shared == 0 && !names.isEmpty() && !newNames.isEmpty()) {
      return 0;
    }
    return 1 + 2 * shared + (wording.words(one).equals(newWording.words(other)) ? 1 : 0);
  }
}
