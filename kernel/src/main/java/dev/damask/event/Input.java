package dev.damask.event;

import dev.damask.task.RetryHint;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.Numbered;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An event that a caller, a handler or a timer applies to a case. Inputs are applied one at a
/// time, each when the case has nothing left to do by itself.
public sealed interface Input {
  /// The effect of a token has a result, or its function, which ran outside of the machine,
  /// returned a context.
  record TaskDone(TokenId token, Context result) implements Input {}

  /// The function of a token, which ran outside of the machine, requests an effect.
  record TaskWants(TokenId token, EffectSpec effect, Context resume) implements Input {}

  /// The effect of a token failed; it may be tried again. A task that is an incident fails for
  /// good.
  ///
  /// @param hint what the handler knows about the next attempt
  record TaskFailed(TokenId token, String reason, String detail, RetryHint hint) implements Input {
    public TaskFailed(TokenId token, String reason, String detail) {
      this(token, reason, detail, RetryHint.NONE);
    }

    public TaskFailed(TokenId token, String reason) {
      this(token, reason, "");
    }
  }

  /// A script, the function of a token that runs outside of the machine, took a step. It is counted
  /// and traced and changes nothing else.
  ///
  /// @param name the script and the step, such as `fulfil/charge`
  record ScriptStep(TokenId token, Kind kind, String name, String detail) implements Input {
    /// What happened to the step. Journals refer to it by number.
    public enum Kind implements Numbered {
      /// Its first attempt began.
      STARTED(0, TraceEvent.Kind.STARTED, "TASK-EFFECT"),
      /// It has a result.
      COMPLETED(1, TraceEvent.Kind.COMPLETED, "EFFECT-RESULT"),
      /// It failed for good.
      FAILED(2, TraceEvent.Kind.FAILED, "TASK-ERROR"),
      /// It is tried again.
      RETRIED(3, TraceEvent.Kind.RETRIED, "TASK-RETRY"),
      /// It was cancelled.
      WITHDRAWN(4, TraceEvent.Kind.WITHDRAWN, "CANCEL-EFFECT");

      private static final List<Kind> BY_NUMBER = Numbered.ordered(values());

      private final int number;
      private final TraceEvent.Kind event;
      private final String rule;

      Kind(int number, TraceEvent.Kind event, String rule) {
        this.number = number;
        this.event = event;
        this.rule = rule;
      }

      @Override
      public int number() {
        return number;
      }

      /// Returns the constants in the order of their numbers.
      public static List<Kind> byNumber() {
        return BY_NUMBER;
      }

      /// Returns the kind of the trace event.
      public TraceEvent.Kind event() {
        return event;
      }

      /// Returns the rule of the trace event.
      public String rule() {
        return rule;
      }
    }
  }

  /// A script takes a token from an external place.
  ///
  /// @param position of the token on the place, from 0 for the oldest
  record ScriptTake(TokenId token, String place, int position) implements Input {}

  /// The task of a token becomes an incident: it waits until an operator retries it, completes it
  /// or fails it.
  record TaskParked(TokenId token, String reason) implements Input {}

  /// A task that is an incident is tried once more.
  record TaskRetried(TokenId token) implements Input {}

  /// The time of an attempt runs only while it is sent: an attempt that waits for a permit has no
  /// timeout.
  record TaskSent(TokenId token, boolean isSent) implements Input {}

  /// One waiting task is cancelled.
  record CancelTask(TokenId token) implements Input {}

  /// A token for an external place.
  record Signal(String place, Context payload) implements Input {}

  /// Ends every open activation of a scope or set of instances, or the `case`.
  ///
  /// @param reason for people; empty when the caller specified none
  record Kill(String name, boolean complete, String reason) implements Input {
    public Kill(String name, boolean complete) {
      this(name, complete, "");
    }
  }

  /// An operator writes keys of the context of one waiting token. What the token waits for and the
  /// request of its task stay the same.
  ///
  /// @param reason for people
  record ChangeData(TokenId token, Context values, String reason) implements Input {}

  /// The case fails for a reason that is not in its workflow, such as its deadline.
  record Fail(String reason, String detail) implements Input {}

  /// One more instance of an open set.
  record AddInstance(String name, @Nullable Object item, boolean hasItem) implements Input {}

  /// No more instances of an open set.
  record CloseInstances(String name) implements Input {}

  /// The clock shows this time, in milliseconds.
  record Advance(long millis) implements Input {}
}
