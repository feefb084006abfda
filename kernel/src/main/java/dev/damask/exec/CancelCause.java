package dev.damask.exec;

import dev.damask.event.CancelledScope;
import dev.damask.event.Failure;
import dev.damask.event.Outcome;
import dev.damask.event.Status;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.Undoing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What was cancelled, and why.
///
/// The cause that a case without a result ended for is what was cancelled last, by whom, and why.
/// It is kept where a failed case keeps its failure, with the name in the place of the task, so
/// that the bytes of a state need no further field.
final class CancelCause {
  /// The reason when the workflow itself cancels.
  static final String KILLED = "kill";

  /// The reason when a caller cancels without one.
  static final String REQUESTED = "requested";

  /// The reason when the last token was removed and none had reached the end.
  static final String NOTHING_LEFT = "nothing_left";

  /// The reason when a join was given up because too few branches were selected or are left.
  static final String UNFULFILLABLE = "join_unfulfillable";

  private CancelCause() {}

  /// @param left how many branches have delivered or still can
  static Failure unfulfillable(String place, int need, int left) {
    String detail = "the join at " + place + " needs " + need + " branches, " + left + " left";
    return new Failure("case", UNFULFILLABLE, detail, 1, place);
  }

  /// @param name of the scope, set of instances or task; `case` for the whole
  static Failure of(String name, String reason) {
    return new Failure(name, reason, "", 1, "");
  }

  /// @param reason what the caller gave; empty when there is none
  static Failure requested(String name, String reason) {
    return of(name, reason.isEmpty() ? REQUESTED : reason);
  }

  /// Something was cancelled. If the case ends with it, this is why.
  ///
  /// @param cause null when it was cancelled with something else
  static void note(ExecState state, @Nullable Failure cause) {
    if (cause != null) {
      state.failure = cause;
    }
  }

  /// What had to follow a cancellation has followed. A case that continues has no cause to end.
  static void settled(ExecState state) {
    if (!state.status.isEnded()) {
      state.failure = null;
    }
  }

  /// The root has closed: a failed case keeps its failure, a cancelled one its cause.
  static void end(ExecState state) {
    if (state.status != Status.FAILED) {
      state.status = state.root.delivered ? Status.COMPLETED : Status.CANCELLED;
      if (state.status == Status.COMPLETED && hasWrongResult(state)) {
        return;
      }
    }
    if (state.status == Status.COMPLETED) {
      state.failure = null;
    } else if (state.failure == null) {
      state.failure = of("case", NOTHING_LEFT);
    }
  }

  /// Fails a case whose result does not fit what the workflow declares. The result stays, for
  /// people to look at.
  private static boolean hasWrongResult(ExecState state) {
    List<String> problems = state.program.declared().output().apply(state.result());
    if (problems.isEmpty()) {
      return false;
    }
    int more = problems.size() - 1;
    String rest = more == 0 ? "" : " (and " + more + " more)";
    state.status = Status.FAILED;
    state.failure =
        new Failure(
            "", Failure.OUTPUT, "the result does not fit: " + problems.getFirst() + rest, 1, "do");
    return true;
  }

  static Outcome.Cancelled outcome(ExecState state) {
    Failure cause = state.failure;
    return cause == null
        ? new Outcome.Cancelled("case", "", "")
        : new Outcome.Cancelled(cause.task(), cause.reason(), cause.detail());
  }

  /// Notes that an activation was cancelled before it delivered.
  static void add(ExecState state, Frame frame) {
    Program.Pools pools = state.program.pools();
    if (frame.kind == Frame.Kind.REGION && !frame.delivered) {
      state.setCancelled(pools.names()[pools.regions()[frame.spec].name()], true);
    } else if (frame.kind == Frame.Kind.SET && !frame.delivered) {
      state.setCancelled(pools.names()[pools.instances()[frame.spec].name()], true);
    }
    notice(state, frame);
  }

  /// Notes that listeners are notified of a cancellation, once for each activation: one that is
  /// being undone after a cancellation was noted when that began.
  static void notice(ExecState state, Frame frame) {
    if (frame.delivered || (frame.undoing != null && isCancelling(frame.undoing.ending.kind()))) {
      return;
    }
    Program.Pools pools = state.program.pools();
    if (frame.kind == Frame.Kind.REGION) {
      Pool.Region region = pools.regions()[frame.spec];
      state.noteCancelled(new CancelledScope(pools.names()[region.name()], region.listener()));
    } else if (frame.kind == Frame.Kind.SET) {
      int name = pools.instances()[frame.spec].name();
      state.noteCancelled(new CancelledScope(pools.names()[name], null));
    }
  }

  /// Whether an activation that ends so was cancelled, not completed.
  static boolean isCancelling(Undoing.Ending.Kind kind) {
    return switch (kind) {
      case WITHDRAW, TIMEOUT, HANDLE, FAIL -> true;
      case COMPLETE, DELIVER -> false;
    };
  }
}
