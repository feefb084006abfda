package dev.damask.task;

import java.util.List;

/// Decides at each completed instance whether a set of instances has enough of them.
@FunctionalInterface
public interface InstanceCondition {
  /// `done` instances of the `total` made so far have completed, with these contexts in instance
  /// order.
  boolean test(int done, int total, List<Context> results);

  default String text() {
    return "java";
  }
}
