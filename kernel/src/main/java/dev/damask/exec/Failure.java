package dev.damask.exec;

import dev.damask.task.Context;
import java.util.List;

/// Why a task, a scope or a case failed, and where. Failures that came while this one was being
/// handled are attached to it.
public record Failure(
    String task, String reason, String detail, int attempt, String place, List<Failure> attached) {
  public static final String TIMEOUT = "timeout";

  /// A crash left it open whether an effect happened; such a failure is never retried.
  public static final String UNKNOWN_OUTCOME = "unknown_outcome";

  static final String NO_BRANCH = "no_branch";
  static final String EXPRESSION = "expression";
  static final String MERGE_CONFLICT = "merge_conflict";
  static final String MI_BOUNDS = "mi_bounds";
  static final String CALL_DEPTH = "call_depth";
  static final String LIMIT = "limit";
  static final String EXCEPTION = "exception";

  public Failure {
    attached = List.copyOf(attached);
  }

  Failure(String task, String reason, String detail, int attempt, String place) {
    this(task, reason, detail, attempt, place, List.of());
  }

  /// What a handler sees under the key `error`.
  Context toContext() {
    return Context.of("task", task, "reason", reason)
        .with("detail", detail)
        .with("attempt", attempt)
        .with("place", place);
  }

  Failure with(Failure later) {
    List<Failure> all = new java.util.ArrayList<>(attached);
    all.add(later);
    return new Failure(task, reason, detail, attempt, place, all);
  }

  @Override
  public String toString() {
    return reason
        + (task.isEmpty() ? "" : " in task " + task)
        + " at "
        + place
        + (detail.isEmpty() ? "" : ": " + detail);
  }
}
