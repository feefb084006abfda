package dev.damask.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Whether enough of several values agree, and on what.
final class Consensus {
  private final List<? extends @Nullable Object> values;
  private final String metric;
  private final double tolerance;

  private Consensus(List<? extends @Nullable Object> values, String metric, double tolerance) {
    this.values = values;
    this.metric = metric;
    this.tolerance = tolerance;
  }

  /// `quorum(values, metric[, mode], tolerance, k)`.
  static Object quorum(List<@Nullable Object> v) {
    int last = v.size() - 1;
    String mode = v.size() == 5 ? RuleFunctions.text(v.get(2)) : "ball";
    return group(v, mode, v.get(last - 1)).size() >= RuleFunctions.real(v.get(last));
  }

  /// `consensus(values, metric[, mode], aggregate, tolerance, k)`.
  static @Nullable Object consensus(List<@Nullable Object> v) {
    int last = v.size() - 1;
    String mode = v.size() == 6 ? RuleFunctions.text(v.get(2)) : "ball";
    List<@Nullable Object> group = group(v, mode, v.get(last - 1));
    boolean reached = !group.isEmpty() && group.size() >= RuleFunctions.real(v.get(last));
    String metric = RuleFunctions.text(v.get(1));
    return aggregate(RuleFunctions.text(v.get(last - 2)), metric, reached ? group : List.of());
  }

  private static List<@Nullable Object> group(
      List<@Nullable Object> v, String mode, @Nullable Object tolerance) {
    Consensus consensus =
        new Consensus(
            RuleFunctions.list(v.get(0)),
            RuleFunctions.text(v.get(1)),
            RuleFunctions.real(tolerance));
    return switch (mode) {
      case "ball" -> consensus.largest(false);
      case "pairwise", "clique" -> consensus.largest(true);
      default ->
          throw new IllegalArgumentException(
              "a mode is ball, pairwise or clique, got '" + mode + "'");
    };
  }

  /// The most values that are near one of them, or near each other; the earliest wins a tie.
  private List<@Nullable Object> largest(boolean pairwise) {
    List<@Nullable Object> best = List.of();
    for (Object centre : values) {
      List<@Nullable Object> group = new ArrayList<>();
      if (pairwise) {
        group.add(centre);
      }
      boolean self = pairwise;
      for (Object value : values) {
        if (self && value == centre) {
          self = false; // the centre is in already
        } else if (pairwise ? group.stream().allMatch(m -> near(m, value)) : near(centre, value)) {
          group.add(value);
        }
      }
      if (group.size() > best.size()) {
        best = group;
      }
    }
    return best;
  }

  private boolean near(@Nullable Object a, @Nullable Object b) {
    return Distances.of(metric, a, b) <= tolerance;
  }

  private static @Nullable Object aggregate(
      String name, String metric, List<@Nullable Object> group) {
    return switch (name) {
      case "medoid" -> group.isEmpty() ? (Object) 0.0 : medoid(metric, group);
      case "mode" -> group.isEmpty() ? (Object) 0.0 : mode(group);
      case "mean" -> Objects.requireNonNull(Aggregates.BY_NAME.get("avg")).over(group);
      case "median" -> Objects.requireNonNull(Aggregates.BY_NAME.get("median")).over(group);
      default ->
          throw new IllegalArgumentException(
              "an aggregate is medoid, mode, mean or median, got '" + name + "'");
    };
  }

  private static @Nullable Object medoid(String metric, List<@Nullable Object> group) {
    Object best = group.getFirst();
    double least = Double.POSITIVE_INFINITY;
    for (Object candidate : group) {
      double sum = 0;
      for (Object other : group) {
        sum += Distances.of(metric, candidate, other);
      }
      if (sum < least) {
        least = sum;
        best = candidate;
      }
    }
    return best;
  }

  private static @Nullable Object mode(List<@Nullable Object> group) {
    Object best = group.getFirst();
    long most = 0;
    for (Object candidate : group) {
      long count = group.stream().filter(other -> Distances.same(candidate, other)).count();
      if (count > most) {
        most = count;
        best = candidate;
      }
    }
    return best;
  }
}
