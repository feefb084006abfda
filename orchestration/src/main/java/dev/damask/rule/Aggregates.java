package dev.damask.rule;

import dev.damask.expression.Functions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Aggregates a list of numbers to one number. An empty list, or a list with any other value,
/// aggregates to 0.
final class Aggregates {
  static final Map<String, Aggregate> BY_NAME = new TreeMap<>();

  static {
    BY_NAME.put("max", values -> Arrays.stream(values).max().orElse(0));
    BY_NAME.put("min", values -> Arrays.stream(values).min().orElse(0));
    BY_NAME.put("sum", Aggregates::sum);
    BY_NAME.put("avg", values -> sum(values) / values.length);
    BY_NAME.put("median", Aggregates::median);
    BY_NAME.put("stdev", Aggregates::deviation);
    BY_NAME.put("cv", Aggregates::variation);
    BY_NAME.put("mad", Aggregates::medianDeviation);
  }

  private Aggregates() {}

  /// The charge for a number beyond reading it: the median sorts.
  private static final int SORTED = 16;

  /// Aggregates at least one number.
  interface Aggregate {
    double of(double[] values);

    default Double over(List<? extends @Nullable Object> items, Functions.Meter meter) {
      meter.charge((long) SORTED * items.size());
      double[] values = new double[items.size()];
      for (int i = 0; i < values.length; i++) {
        Double number = RuleFunctions.number(items.get(i));
        if (number == null) {
          return 0.0;
        }
        values[i] = number;
      }
      return values.length == 0 ? 0.0 : of(values);
    }
  }

  private static double sum(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum;
  }

  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /// The standard deviation of the whole population, by Welford's recurrence, which avoids
  /// cancellation.
  private static double deviation(double[] values) {
    double mean = 0;
    double squares = 0;
    for (int i = 0; i < values.length; i++) {
      double delta = values[i] - mean;
      mean += delta / (i + 1);
      squares += delta * (values[i] - mean);
    }
    return Math.sqrt(squares / values.length);
  }

  private static double variation(double[] values) {
    double mean = sum(values) / values.length;
    return mean == 0 ? 0 : deviation(values) / mean;
  }

  private static double medianDeviation(double[] values) {
    double centre = median(values);
    return median(Arrays.stream(values).map(value -> Math.abs(value - centre)).toArray());
  }
}
