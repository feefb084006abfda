package dev.damask.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Two sides of a ratio that take turns. The disk of a shared machine is now fast and now slow, so
/// each turn is compared with its neighbour in time; the first half only warms the compiler up, and
/// of the ratios of the second half the middle one counts.
final class Turns {
  private final List<Double> ratios = new ArrayList<>();
  private double best;

  /// One turn of each side, as rates.
  void add(double ours, double theirs) {
    ratios.add(ours / theirs);
    best = Math.max(best, ours);
  }

  double ratio() {
    return sorted().get(sorted().size() / 2);
  }

  private List<Double> sorted() {
    return ratios.subList(ratios.size() / 2, ratios.size()).stream().sorted().toList();
  }

  /// From the least to the greatest ratio, and our best rate.
  String spread(String unit) {
    return String.format(
        Locale.ROOT,
        "(%.2f to %.2f, %,.0f %s at best)",
        sorted().getFirst(),
        sorted().getLast(),
        best,
        unit);
  }
}
