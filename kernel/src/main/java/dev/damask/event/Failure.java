package dev.damask.event;

import dev.damask.task.Retry;
import dev.damask.value.Context;
import java.util.List;

/// Why a task, a scope or a case failed, and where. Failures that came while this one was being
/// handled are attached to it.
public record Failure(
    String task, String reason, String detail, int attempt, String place, List<Failure> attached) {
  public static final String TIMEOUT = "timeout";

  /// A crash left it open whether an effect happened; such a failure is never retried.
  public static final String UNKNOWN_OUTCOME = "unknown_outcome";

  /// The handler states that nothing was sent; the only failure after which an at-most-once effect
  /// may be tried again.
  public static final String NOT_SENT = Retry.NOT_SENT;

  /// Another effect has used the same idempotency key with another payload.
  public static final String KEY_CONFLICT = "key_conflict";

  /// An effect was refused: its type is not allowed, the budget is used up, or an approver rejected
  /// it.
  public static final String NOT_ALLOWED = "not_allowed";

  public static final String BUDGET = "budget";
  public static final String REJECTED = "rejected";

  /// The time of a case was up.
  public static final String DEADLINE = "deadline";

  /// The result of the case does not fit what the workflow declares.
  public static final String OUTPUT = "output";

  public static final String NO_BRANCH = "no_branch";
  public static final String EXPRESSION = "expression";
  public static final String MERGE_CONFLICT = "merge_conflict";
  public static final String MI_BOUNDS = "mi_bounds";
  public static final String CALL_DEPTH = "call_depth";
  public static final String LIMIT = "limit";
  public static final String EXCEPTION = "exception";

  public Failure {
    attached = List.copyOf(attached);
  }

  /// Whether another attempt would make no sense or do harm.
  public static boolean isFinal(String reason) {
    return switch (reason) {
      case UNKNOWN_OUTCOME, KEY_CONFLICT, NOT_ALLOWED, BUDGET, REJECTED, EXPRESSION -> true;
      default -> false;
    };
  }

  /// Whether a task that parks becomes an incident after its last attempt failed with this reason.
  /// A decision of the engine or of an approver is final. An unknown outcome is not: an operator
  /// can find out what happened.
  public static boolean isParked(String reason) {
    return !isFinal(reason) || reason.equals(UNKNOWN_OUTCOME);
  }

  public Failure(String task, String reason, String detail, int attempt, String place) {
    this(task, reason, detail, attempt, place, List.of());
  }

  /// Returns the entries that a handler reads under the key `error`.
  public Context toContext() {
    return Context.of("task", task, "reason", reason)
        .with("detail", detail)
        .with("attempt", attempt)
        .with("place", place);
  }

  /// Returns this failure with a later one attached.
  public Failure with(Failure later) {
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
