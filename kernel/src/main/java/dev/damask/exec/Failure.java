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

  /// An effect was refused: its type is not allowed, the budget is used up, somebody said no.
  public static final String NOT_ALLOWED = "not_allowed";

  public static final String BUDGET = "budget";
  public static final String REJECTED = "rejected";

  /// The time of a case was up.
  public static final String DEADLINE = "deadline";

  static final String NO_BRANCH = "no_branch";
  public static final String EXPRESSION = "expression";
  static final String MERGE_CONFLICT = "merge_conflict";
  static final String MI_BOUNDS = "mi_bounds";
  static final String CALL_DEPTH = "call_depth";
  static final String LIMIT = "limit";
  static final String EXCEPTION = "exception";

  public Failure {
    attached = List.copyOf(attached);
  }

  /// Whether another attempt would make no sense or do harm.
  static boolean isFinal(String reason) {
    return switch (reason) {
      case UNKNOWN_OUTCOME, NOT_ALLOWED, BUDGET, REJECTED, EXPRESSION -> true;
      default -> false;
    };
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
