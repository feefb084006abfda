package dev.damask.verify;

import dev.damask.event.Status;
import java.util.List;
import java.util.Set;

/// A property that the user asserts. Names are names of tasks; every task with the name counts.
public sealed interface Assertion {
  /// `task` never starts unless `before` has completed.
  record NeverBefore(String task, String before) implements Assertion {}

  /// `task` starts at most once.
  record AtMostOnce(String task) implements Assertion {}

  /// Once `task` has completed, `then` completes eventually, if external services are fair.
  record LeadsTo(String task, String then) implements Assertion {}

  /// The two tasks never run at the same time.
  record NeverTogether(String task, String other) implements Assertion {}

  /// The workflow itself may end a case with one of these statuses: cancelled, failed.
  record MayEnd(Set<Status> statuses) implements Assertion {
    public MayEnd {
      statuses = Set.copyOf(statuses);
      if (!Set.of(Status.CANCELLED, Status.FAILED).containsAll(statuses) || statuses.isEmpty()) {
        throw new IllegalArgumentException(
            "mayEnd must contain only cancelled and failed, got " + statuses);
      }
    }
  }

  /// Returns the tasks that it refers to.
  default List<String> tasks() {
    return switch (this) {
      case NeverBefore(var task, var before) -> List.of(task, before);
      case AtMostOnce(var task) -> List.of(task);
      case LeadsTo(var task, var then) -> List.of(task, then);
      case NeverTogether(var task, var other) -> List.of(task, other);
      case MayEnd mayEnd -> List.of();
    };
  }

  /// Returns the assertion as a sentence.
  default String sentence() {
    return switch (this) {
      case NeverBefore(var task, var before) -> task + " never happens before " + before;
      case AtMostOnce(var task) -> task + " happens at most once";
      case LeadsTo(var task, var then) -> "after " + task + " eventually " + then;
      case NeverTogether(var task, var other) -> task + " and " + other + " never run together";
      case MayEnd(var statuses) -> "a case may end " + statuses;
    };
  }
}
