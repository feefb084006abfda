package dev.damask.exec;

import dev.damask.task.Context;
import dev.damask.task.TaskResult;
import org.jspecify.annotations.Nullable;

/// One thing that happened in a case, in order.
///
/// @param step the step counter when it happened
/// @param rule the reduction rule or event it belongs to
/// @param token the token concerned, 0 when it is none
/// @param before the address of the token before; -1 when that means nothing
/// @param after the address after
/// @param scope the frame of the token
/// @param subject the task, scope or place concerned; empty when there is none
/// @param label the instance, such as `2.1`; empty outside of instances
/// @param detail what changed
/// @param evaluation what came of an evaluation; null when nothing was evaluated
public record TraceEvent(
    long step,
    Kind kind,
    String rule,
    int token,
    int before,
    int after,
    int scope,
    String subject,
    String label,
    String detail,
    @Nullable Evaluation evaluation) {
  public TraceEvent {
    if (evaluation != null && kind != Kind.EVALUATED) {
      throw new IllegalArgumentException("only an evaluation tells what was evaluated: " + kind);
    }
  }

  /// What an evaluation left behind.
  ///
  /// @param payload what children and joins receive
  /// @param cost what it cost
  /// @param note what the step says of it
  public record Evaluation(Context payload, long cost, TaskResult.Note note) {}

  /// What kind of event it is, and at which level it is traced.
  public enum Kind {
    /// A reduction that is none of the others.
    STEP(false),
    /// A task function ran.
    RAN(false),
    STARTED(true),
    COMPLETED(true),
    WITHDRAWN(true),
    FAILED(true),
    FORKED(true),
    JOINED(true),
    /// A join was given up.
    ABANDONED(true),
    CANCELLED(true),
    SIGNALLED(true),
    ENDED(true),
    /// A process was made; the detail begins with its number.
    SPAWNED(true),
    /// A process was evaluated; the detail is its number and its outcome, the evaluation the rest.
    EVALUATED(true),
    /// A process ended without taking a branch; the detail begins with its number.
    ABORTED(true);

    private final boolean minimal;

    Kind(boolean minimal) {
      this.minimal = minimal;
    }

    /// Whether level min shows it.
    public boolean isMinimal() {
      return minimal;
    }
  }
}
