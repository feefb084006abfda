package dev.damask.history;

import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.history.HistoryPosition.Cause;
import dev.damask.history.JournalEntry.Event;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The words for what led to a state and for what a case waits for.
final class Causes {
  private Causes() {}

  static Cause of(JournalEntry entry) {
    return switch (entry.event()) {
      case Event.Started _ -> Cause.STARTED;
      case Event.Migrated _ -> Cause.MIGRATED;
      case Event.Paused _ -> Cause.PAUSED;
      case Event.Resumed _ -> Cause.RESUMED;
      case Event.Applied(var input) ->
          switch (input) {
            case Input.TaskDone _ -> Cause.RESULT;
            case Input.TaskWants _ -> Cause.EFFECT_REQUESTED;
            case Input.TaskFailed _ -> Cause.FAILURE;
            case Input.TaskParked _ -> Cause.INCIDENT;
            case Input.TaskRetried _ -> Cause.RETRY;
            case Input.TaskSent _ -> Cause.SENT;
            case Input.CancelTask _ -> Cause.TASK_CANCELLED;
            case Input.ScriptStep step ->
                switch (step.kind()) {
                  case STARTED -> Cause.SENT;
                  case COMPLETED -> Cause.RESULT;
                  case FAILED -> Cause.FAILURE;
                  case RETRIED -> Cause.RETRY;
                  case WITHDRAWN -> Cause.TASK_CANCELLED;
                };
            case Input.ScriptTake _ -> Cause.SIGNAL;
            case Input.ChangeData _ -> Cause.DATA_CHANGED;
            case Input.Signal _ -> Cause.SIGNAL;
            case Input.Kill kill -> kill.complete() ? Cause.COMPLETED_EARLY : Cause.CANCELLED;
            case Input.Fail _ -> Cause.CASE_FAILED;
            case Input.AddInstance _ -> Cause.INSTANCE_ADDED;
            case Input.CloseInstances _ -> Cause.INSTANCES_CLOSED;
            case Input.Advance _ -> Cause.TIME;
          };
    };
  }

  static String subject(JournalEntry entry) {
    return switch (entry.event()) {
      case Event.Started _ -> "";
      case Event.Migrated(var target, _) -> target.toString();
      case Event.Paused(_, var reason) -> reason;
      case Event.Resumed _ -> "";
      case Event.Applied(var input) ->
          switch (input) {
            case Input.TaskDone(var token, _) -> task(entry, token.number());
            case Input.TaskWants(var token, _, _) -> task(entry, token.number());
            case Input.TaskFailed failed -> task(entry, failed.token().number());
            case Input.TaskParked(var token, _) -> task(entry, token.number());
            case Input.TaskRetried(var token) -> task(entry, token.number());
            case Input.TaskSent(var token, _) -> task(entry, token.number());
            case Input.CancelTask(var token) -> task(entry, token.number());
            case Input.ScriptStep(_, _, var name, _) -> name;
            case Input.ScriptTake(_, var place, _) -> place;
            case Input.ChangeData(var token, _, _) -> task(entry, token.number());
            case Input.Signal(var place, _) -> place;
            case Input.Kill(var name, _, _) -> name;
            case Input.Fail(var reason, _) -> reason;
            case Input.AddInstance(var name, _, _) -> name;
            case Input.CloseInstances(var name) -> name;
            case Input.Advance _ -> "";
          };
    };
  }

  /// The task if a receipt names it, else the token.
  private static String task(JournalEntry entry, int token) {
    return entry.task().isEmpty() ? "token " + token : entry.task();
  }

  /// What a case waits for, or how it ended.
  static List<String> waits(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Done _ -> List.of("completed");
      case Outcome.Yielded _ -> List.of("moves by itself");
      case Outcome.Failed(var failure) -> List.of("failed: " + failure);
      case Outcome.Cancelled(var scope, var reason, _) ->
          List.of("cancelled " + scope + (reason.isEmpty() ? "" : ": " + reason));
      case Outcome.Deadlocked(var report) -> report;
      case Outcome.Waits waits -> lines(waits);
    };
  }

  private static List<String> lines(Outcome.Waits waits) {
    List<String> lines = new ArrayList<>();
    for (EffectRequest request : waits.effects()) {
      String until =
          request.isParked()
              ? ", which is an incident"
              : request.notBefore().isPresent()
                  ? ", next attempt at " + Instant.ofEpochMilli(request.notBefore().getAsLong())
                  : "";
      lines.add("waits for task " + request.address() + until);
    }
    waits.places().forEach(place -> lines.add("waits for a signal to " + place));
    waits.sets().forEach(set -> lines.add("waits until no more instances are added to " + set));
    waits.nextDue().ifPresent(due -> lines.add("waits until " + Instant.ofEpochMilli(due)));
    return lines;
  }
}
