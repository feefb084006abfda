package dev.damask.task;

import dev.damask.value.Context;
import java.util.List;

/// Decides at each completed instance whether a set of instances has enough of them.
@FunctionalInterface
public interface InstanceCondition {
  /// `done` instances of the `total` made so far have completed, with these contexts in instance
  /// order.
  boolean test(int done, int total, List<Context> results);

  /// As above, for a condition that also reads the context the set was entered with.
  default boolean test(Context entry, int done, int total, List<Context> results) {
    return test(done, total, results);
  }

  /// Returns the text that stands for the condition in listings and the program hash.
  default String text() {
    return "java";
  }
}
