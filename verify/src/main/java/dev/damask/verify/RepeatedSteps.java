package dev.damask.verify;

import dev.damask.verify.Counterexample.Step;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Steps of a trace that repeat in a row.
///
/// @param length how many steps repeat
/// @param times how often they occur
record RepeatedSteps(int length, int times) {
  private static final int LENGTH_MAX = 12;
  private static final int TIMES_MIN = 4;
  private static final int STEPS_MIN = 10;

  /// Returns the shortest repetition that begins at an index; null if there is none.
  static @Nullable RepeatedSteps at(List<Step> steps, int from) {
    for (int length = 1; length <= LENGTH_MAX; length++) {
      int to = from + length;
      while (to < steps.size() && isSame(steps.get(to), steps.get(to - length))) {
        to++;
      }
      int times = (to - from) / length;
      if (times >= TIMES_MIN && times * length >= STEPS_MIN) {
        return new RepeatedSteps(length, times);
      }
    }
    return null;
  }

  private static boolean isSame(Step one, Step other) {
    return one.kind() == other.kind()
        && one.path().equals(other.path())
        && one.label().equals(other.label())
        && one.text().equals(other.text());
  }

  /// Returns a sentence about the steps that are not listed.
  ///
  /// @param from the index of the first listed step
  /// @param to the index after the last repeated step
  String sentence(int from, int to) {
    return "then again from step %d, %d more times, up to step %d"
        .formatted(from + 1, times - 1, to);
  }
}
