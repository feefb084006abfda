package dev.damask.value;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The result of a task function: the new context itself, a request for an effect, a failure, or,
/// from the task of a step, how its evaluation ended.
///
/// A [Context] is a result, so the common case, a function from context to context, allocates
/// nothing beyond the context it makes.
public sealed interface TaskResult
    permits Context, TaskResult.Wants, TaskResult.Failed, TaskResult.Evaluated {
  /// Requests an effect; the task continues with `resume` and the result of the effect.
  record Wants(EffectSpec effect, Context resume) implements TaskResult {}

  /// The task failed. The reason is a short word that a handler can compare; the detail is for
  /// people.
  record Failed(String reason, String detail) implements TaskResult {
    public Failed(String reason) {
      this(reason, "");
    }
  }

  /// A step was evaluated to its end.
  ///
  /// @param payload what children and joins receive
  /// @param cost what the evaluation cost
  /// @param note for the trace
  /// @param start when the children begin
  /// @param after an effect that is requested when the branch has been applied and the children
  ///   exist; the task runs once more with its result, and its evaluation then only adds a note.
  ///   Null for none
  /// @param kept keys that the children receive beneath the payload; joins do not
  record Evaluated(
      StepOutcome outcome,
      Context payload,
      long cost,
      Note note,
      Start start,
      @Nullable EffectSpec after,
      Context kept)
      implements TaskResult {
    public Evaluated {
      Objects.requireNonNull(outcome, "outcome");
      Objects.requireNonNull(payload, "payload");
      Objects.requireNonNull(note, "note");
      Objects.requireNonNull(start, "start");
      Objects.requireNonNull(kept, "kept");
    }

    public Evaluated(StepOutcome outcome, Context payload, long cost, Note note, Start start) {
      this(outcome, payload, cost, note, start, null, Context.empty());
    }

    public Evaluated(StepOutcome outcome, Context payload) {
      this(outcome, payload, 0, Note.NONE, Start.NOW);
    }
  }

  /// What a step adds to the trace besides its outcome, its payload and its cost.
  ///
  /// @param origin what was evaluated, as a JSON object: the same text for every evaluation of it
  /// @param more what else is to be kept, as a JSON object; empty when there is nothing
  record Note(String origin, String more) {
    public static final Note NONE = new Note("", "");

    public Note {
      Objects.requireNonNull(origin, "origin");
      Objects.requireNonNull(more, "more");
    }
  }

  /// When the children of a step begin: at once, after a while, or at a time.
  sealed interface Start {
    Start NOW = new After(0);

    /// So many milliseconds from now on.
    record After(long millis) implements Start {}

    /// So many milliseconds after the epoch.
    record At(long millis) implements Start {}
  }
}
