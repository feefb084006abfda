package dev.damask.cli;

import dev.damask.cases.CaseView;
import dev.damask.cases.Engine;
import dev.damask.cases.PendingTask;
import dev.damask.document.ScenarioEvent;
import dev.damask.document.ScenarioStep;
import dev.damask.document.TaskAddress;
import dev.damask.exec.Reply;
import dev.damask.task.Context;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/// Plays the events of a file to a case on a store. A signal has an id of its own, so a run that
/// was killed can be repeated with the same file; a task is answered only while it waits.
final class EventPlayer {
  private final Engine engine;
  private final String caseId;
  private final Progress progress;
  private final List<Event> events = new ArrayList<>();
  private long advanceUntil = Long.MAX_VALUE;

  private record Event(int number, ScenarioEvent event) {}

  EventPlayer(Engine engine, String caseId, List<ScenarioStep> steps, Progress progress) {
    this.engine = engine;
    this.caseId = caseId;
    this.progress = progress;
    for (int i = 0; i < steps.size(); i++) {
      if (!(steps.get(i).event() instanceof ScenarioEvent.Start)) {
        events.add(new Event(i + 1, steps.get(i).event()));
      }
    }
  }

  /// Plays the first event that fits; false when none does now.
  boolean play(CaseView view, boolean isBusy) {
    for (Iterator<Event> each = events.iterator(); each.hasNext(); ) {
      Event next = each.next();
      if (next.event() instanceof ScenarioEvent.Advance(var time)) {
        long now = System.currentTimeMillis();
        if (advanceUntil == Long.MAX_VALUE) {
          advanceUntil = now + time.toMillis();
        }
        if (now < advanceUntil) {
          return false;
        }
        advanceUntil = Long.MAX_VALUE;
        each.remove();
        return true;
      }
      Optional<Reply> reply = play(view, next);
      if (reply.isPresent()) {
        each.remove();
        progress.tell(
            "event %d, %s: %s"
                .formatted(
                    next.number(), CaseDriver.name(next.event()), CaseInputs.word(reply.get())));
        return true;
      }
      if (isBusy) {
        return false;
      }
    }
    return false;
  }

  /// Empty while it is too early for the event.
  private Optional<Reply> play(CaseView view, Event next) {
    return switch (next.event()) {
      case ScenarioEvent.Done(var task, var data) ->
          task(view, task).map(id -> engine.completeTask(caseId, id.id(), data.toMap()));
      case ScenarioEvent.Fail(var task, var reason) ->
          task(view, task).map(id -> engine.failTask(caseId, id.id(), reason));
      case ScenarioEvent.CancelTask(var task) ->
          task(view, task).map(id -> engine.cancelTask(caseId, id.id()));
      case ScenarioEvent.Signal(var place, var data) ->
          Optional.of(
              engine.signal(caseId, place, data.toMap(), message(next.number(), place, data)));
      case ScenarioEvent.Cancel(var region) -> Optional.of(engine.cancel(caseId, region));
      case ScenarioEvent.Complete(var region) -> Optional.of(engine.complete(caseId, region));
      case ScenarioEvent.Add(var set, var hasItem, var item) ->
          Optional.of(
              hasItem ? engine.addInstance(caseId, set, item) : engine.addInstance(caseId, set));
      case ScenarioEvent.Close(var set) -> Optional.of(engine.closeInstances(caseId, set));
      case ScenarioEvent.Start(), ScenarioEvent.Advance(_) -> Optional.empty();
    };
  }

  private static String message(int number, String place, Context data) {
    return "event-%d-%08x".formatted(number, (place + Json.text(data.toMap())).hashCode());
  }

  private static Optional<PendingTask> task(CaseView view, TaskAddress address) {
    if (address.execution() > 0) {
      throw new Refusal(
          "event for "
              + address
              + ": on a store the number of an execution is not known; leave out '#'");
    }
    return CaseInputs.task(view.tasks(), address.toString());
  }

  /// When the next event is due; never when none waits for a time.
  long waitsUntil() {
    return advanceUntil;
  }

  void finish() {
    if (!events.isEmpty()) {
      progress.tell(
          "not played: "
              + String.join(
                  ", ", events.stream().map(each -> CaseDriver.name(each.event())).toList()));
    }
  }
}
