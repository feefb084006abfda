package dev.damask.rule;

import dev.damask.expression.Functions.Meter;
import dev.damask.source.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Decides whether enough of several values agree, and on which value.
///
/// Each distance is computed once, because the distance of two strings is expensive and a group
/// compares the same pairs many times.
final class Consensus {
  /// The maximum number of values whose distances are kept; the limit of lists in data.
  private static final int KEPT_MAX = Limit.LIST_SIZE.max();

  private final List<? extends @Nullable Object> values;
  private final String metric;
  private final double tolerance;
  private final Meter meter;

  /// The distances by the two indexes; null where none was computed.
  private final @Nullable Double[] distances;

  private Consensus(
      List<? extends @Nullable Object> values, String metric, double tolerance, Meter meter) {
    this.values = values;
    this.metric = metric;
    this.tolerance = tolerance;
    this.meter = meter;
    this.distances = new Double[values.size() <= KEPT_MAX ? values.size() * values.size() : 0];
  }

  /// `quorum(values, metric[, mode], tolerance, k)`.
  static Object quorum(List<@Nullable Object> v, Meter meter) {
    int last = v.size() - 1;
    String mode = v.size() == 5 ? RuleFunctions.text(v.get(2)) : "ball";
    Consensus consensus = of(v, v.get(last - 1), meter);
    return consensus.group(mode).size() >= RuleFunctions.real(v.get(last));
  }

  /// `consensus(values, metric[, mode], aggregate, tolerance, k)`.
  static @Nullable Object consensus(List<@Nullable Object> v, Meter meter) {
    int last = v.size() - 1;
    String mode = v.size() == 6 ? RuleFunctions.text(v.get(2)) : "ball";
    Consensus consensus = of(v, v.get(last - 1), meter);
    List<Integer> group = consensus.group(mode);
    boolean reached = !group.isEmpty() && group.size() >= RuleFunctions.real(v.get(last));
    return consensus.aggregate(RuleFunctions.text(v.get(last - 2)), reached ? group : List.of());
  }

  private static Consensus of(List<@Nullable Object> v, @Nullable Object tolerance, Meter meter) {
    return new Consensus(
        RuleFunctions.list(v.get(0)),
        RuleFunctions.text(v.get(1)),
        RuleFunctions.real(tolerance),
        meter);
  }

  /// The indexes of the values that agree.
  private List<Integer> group(String mode) {
    return switch (mode) {
      case "ball" -> largest(false);
      case "pairwise", "clique" -> largest(true);
      default ->
          throw new IllegalArgumentException(
              "a mode is ball, pairwise or clique, got '" + mode + "'");
    };
  }

  /// The largest set of values that are near one of them, or near each other. The earliest of
  /// equally large sets is returned.
  private List<Integer> largest(boolean pairwise) {
    List<Integer> best = List.of();
    for (int centre = 0; centre < values.size(); centre++) {
      List<Integer> group = new ArrayList<>();
      if (pairwise) {
        group.add(centre);
      }
      for (int i = 0; i < values.size(); i++) {
        if (pairwise ? i != centre && isNearAll(group, i) : isNear(centre, i)) {
          group.add(i);
        }
      }
      if (group.size() > best.size()) {
        best = group;
      }
    }
    return best;
  }

  private boolean isNearAll(List<Integer> group, int index) {
    for (int member : group) {
      if (!isNear(member, index)) {
        return false;
      }
    }
    return true;
  }

  private boolean isNear(int a, int b) {
    return distance(a, b) <= tolerance;
  }

  /// The distance of two values, which is the same in both directions.
  private double distance(int a, int b) {
    meter.charge(1);
    int at = Math.min(a, b) * values.size() + Math.max(a, b);
    Double known = distances.length == 0 ? null : distances[at];
    if (known == null) {
      known = Distances.of(metric, values.get(a), values.get(b), meter);
      if (distances.length > 0) {
        distances[at] = known;
      }
    }
    return known;
  }

  private @Nullable Object aggregate(String name, List<Integer> group) {
    return switch (name) {
      case "medoid" -> group.isEmpty() ? (Object) 0.0 : medoid(group);
      case "mode" -> group.isEmpty() ? (Object) 0.0 : mode(group);
      case "mean" -> over("avg", group);
      case "median" -> over("median", group);
      default ->
          throw new IllegalArgumentException(
              "an aggregate is medoid, mode, mean or median, got '" + name + "'");
    };
  }

  private Double over(String aggregate, List<Integer> group) {
    List<@Nullable Object> members = new ArrayList<>();
    group.forEach(index -> members.add(values.get(index)));
    return Objects.requireNonNull(Aggregates.BY_NAME.get(aggregate)).over(members, meter);
  }

  private @Nullable Object medoid(List<Integer> group) {
    int best = group.getFirst();
    double least = Double.POSITIVE_INFINITY;
    for (int candidate : group) {
      double sum = 0;
      for (int other : group) {
        sum += distance(candidate, other);
      }
      if (sum < least) {
        least = sum;
        best = candidate;
      }
    }
    return values.get(best);
  }

  private @Nullable Object mode(List<Integer> group) {
    int best = group.getFirst();
    long most = 0;
    for (int candidate : group) {
      long count = 0;
      for (int other : group) {
        count += Distances.same(values.get(candidate), values.get(other), meter) ? 1 : 0;
      }
      if (count > most) {
        most = count;
        best = candidate;
      }
    }
    return values.get(best);
  }
}
