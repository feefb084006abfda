package dev.damask.value;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What the task of a step of an orchestration returns: how its evaluation ended, a request for an
/// effect, or a failure.
public sealed interface StepResult
    permits StepResult.Evaluated, TaskResult.Wants, TaskResult.Failed {
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
      implements StepResult {
    public Evaluated {
      Objects.requireNonNull(outcome, "outcome");
      Objects.requireNonNull(payload, "payload");
      Objects.requireNonNull(note, "note");
      Objects.requireNonNull(start, "start");
      Objects.requireNonNull(kept, "kept");
    }

    /// Creates an evaluation that requests no effect.
    public Evaluated(StepOutcome outcome, Context payload, long cost, Note note, Start start) {
      this(outcome, payload, cost, note, start, null, Context.empty());
    }

    /// Creates an evaluation without cost and note whose children begin at once.
    public Evaluated(StepOutcome outcome, Context payload) {
      this(outcome, payload, 0, Note.NONE, Start.NOW);
    }
  }

  /// What a step reports for the trace besides its outcome, its payload and its cost.
  ///
  /// @param origin what was evaluated, as a JSON object: the same text for every evaluation of it
  /// @param more what else is to be kept, as a JSON object; empty when there is nothing
  record Note(String origin, String more) {
    /// Nothing to report.
    public static final Note NONE = new Note("", "");

    public Note {
      Objects.requireNonNull(origin, "origin");
      Objects.requireNonNull(more, "more");
    }
  }

  /// When the children of a step begin: at once, after a while, or at a time.
  sealed interface Start {
    /// At once.
    Start NOW = new After(0);

    /// After a number of milliseconds.
    record After(long millis) implements Start {}

    /// At a time in milliseconds since the epoch.
    record At(long millis) implements Start {}
  }
}
