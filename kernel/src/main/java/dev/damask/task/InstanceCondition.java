package dev.damask.task;

import dev.damask.value.Context;
import java.util.List;

/// Decides at each completed instance whether a set of instances has enough of them.
@FunctionalInterface
public interface InstanceCondition {
  /// Returns whether the instances are enough: `done` of the `total` created so far have completed,
  /// with these contexts in instance order.
  boolean test(int done, int total, List<Context> results);

  /// Returns whether the instances are enough, for a condition that also reads the context in which
  /// the set was entered.
  default boolean test(Context entry, int done, int total, List<Context> results) {
    return test(done, total, results);
  }

  /// Returns the text that stands for the condition in listings and the program hash.
  default String text() {
    return "java";
  }
}
