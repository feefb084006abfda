package dev.damask.verify;

import java.util.List;

/// A property of the user's own. Names are names of tasks; every task of that name counts.
public sealed interface Assertion {
  /// `task` never starts unless `before` has completed.
  record NeverBefore(String task, String before) implements Assertion {}

  /// `task` starts at most once.
  record AtMostOnce(String task) implements Assertion {}

  /// Once `task` has completed, `then` completes eventually, if the outside is fair.
  record LeadsTo(String task, String then) implements Assertion {}

  /// The two never run at the same time.
  record NeverTogether(String task, String other) implements Assertion {}

  /// The tasks it speaks of.
  default List<String> tasks() {
    return switch (this) {
      case NeverBefore(var task, var before) -> List.of(task, before);
      case AtMostOnce(var task) -> List.of(task);
      case LeadsTo(var task, var then) -> List.of(task, then);
      case NeverTogether(var task, var other) -> List.of(task, other);
    };
  }

  /// The assertion as a sentence.
  default String sentence() {
    return switch (this) {
      case NeverBefore(var task, var before) -> task + " never happens before " + before;
      case AtMostOnce(var task) -> task + " happens at most once";
      case LeadsTo(var task, var then) -> "after " + task + " eventually " + then;
      case NeverTogether(var task, var other) -> task + " and " + other + " never run together";
    };
  }
}
