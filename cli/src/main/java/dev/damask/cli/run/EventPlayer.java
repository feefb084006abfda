package dev.damask.cli.run;

import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cli.cases.CaseInputs;
import dev.damask.cli.command.Refusal;
import dev.damask.clock.EngineClock;
import dev.damask.event.Reply;
import dev.damask.json.JsonWriter;
import dev.damask.scenario.ScenarioEvent;
import dev.damask.scenario.ScenarioStep;
import dev.damask.task.TaskAddress;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Plays the events of a file to a case. Each signal has its own id, so a run on a store that was
/// killed can be repeated with the same file; a task is answered only while it waits.
final class EventPlayer {
  private final PlayedCase played;
  private final EngineClock clock;
  private final CaseProgress progress;
  private final List<Event> events = new ArrayList<>();
  private long advanceUntil = Long.MAX_VALUE;

  /// An event that has not been played yet, with its number in the file.
  private record Event(int number, ScenarioStep step) {
    @Override
    public String toString() {
      return "event %d, %s".formatted(number, name(step.event()));
    }
  }

  EventPlayer(
      PlayedCase played, EngineClock clock, List<ScenarioStep> steps, CaseProgress progress) {
    this.played = played;
    this.clock = clock;
    this.progress = progress;
    for (int i = 0; i < steps.size(); i++) {
      if (!(steps.get(i).event() instanceof ScenarioEvent.Start)) {
        events.add(new Event(i + 1, steps.get(i)));
      }
    }
  }

  /// Throws [Refusal] if an event advances the time. On a store timers run in real time, so that a
  /// case which is resumed has its own times.
  ///
  /// @param isServer whether the case is at a server that was named by its URL
  static void refuseAdvance(@Nullable Path file, List<ScenarioStep> steps, boolean isServer) {
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i).event() instanceof ScenarioEvent.Advance advance) {
        throw new Refusal(
            "%s: event %d, %s: time cannot be advanced %s; remove the event, or run without %s"
                .formatted(
                    file,
                    i + 1,
                    name(advance),
                    isServer ? "at a server" : "in a store",
                    isServer ? "--server" : "--store"));
      }
    }
  }

  /// Plays the first event that fits; false when none does now. Order matters to people, so while
  /// an effect is in progress an event waits for its task; otherwise later events are tried.
  boolean play(CaseView view, boolean isUnderWay) {
    for (Iterator<Event> each = events.iterator(); each.hasNext(); ) {
      Event next = each.next();
      if (next.step().event() instanceof ScenarioEvent.Advance(var time)) {
        long now = clock.millis();
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
        tell(next, reply.get());
        return true;
      }
      if (isUnderWay) {
        return false;
      }
    }
    return false;
  }

  private void tell(Event event, Reply reply) {
    if (event.step().reply().name().equals(reply.name()) || reply == Reply.BUFFERED) {
      progress.tell(event + ": " + CaseInputs.word(reply));
    } else {
      progress.message(event + ": " + sentence(reply));
    }
  }

  private static String sentence(Reply reply) {
    return switch (reply) {
      case ACCEPTED -> "was accepted";
      case LOST -> "was lost; the case did not wait for it";
      case BUFFERED -> "was buffered";
      case REJECTED -> "was rejected by the case";
      case LATE -> "arrived too late; the task has ended";
      case NO_SUCH_REGION -> "was rejected; no such region is open";
      case CASE_ENDED -> "the case had ended";
      case STORED -> "stored until the case is resumed";
    };
  }

  /// Empty while it is too early for the event.
  private Optional<Reply> play(CaseView view, Event next) {
    return switch (next.step().event()) {
      case ScenarioEvent.Done(var task, var data) ->
          running(view, task).map(id -> played.complete(id.id(), data.toMap()));
      case ScenarioEvent.Fail(var task, var reason) ->
          running(view, task).map(id -> played.fail(id.id(), reason));
      case ScenarioEvent.Retry(var task) ->
          running(view, task).filter(PendingTask::isIncident).map(id -> played.retry(id.id()));
      case ScenarioEvent.CancelTask(var task) ->
          running(view, task).map(id -> played.cancel(id.id()));
      case ScenarioEvent.Signal(var place, var data) ->
          Optional.of(played.signal(place, data.toMap(), message(next.number(), place, data)));
      case ScenarioEvent.Cancel(var region) -> Optional.of(played.cancel(region));
      case ScenarioEvent.Complete(var region) -> Optional.of(played.complete(region));
      case ScenarioEvent.Add(var set, var hasItem, var item) ->
          Optional.of(hasItem ? played.add(set, item) : played.add(set));
      case ScenarioEvent.Close(var set) -> Optional.of(played.close(set));
      case ScenarioEvent.Start(), ScenarioEvent.Advance(_) -> Optional.empty();
    };
  }

  /// A task that runs now and does not only wait for its next attempt.
  private static Optional<PendingTask> running(CaseView view, TaskAddress task) {
    return view.task(task).filter(each -> each.notBefore().isEmpty() || each.isIncident());
  }

  private static String message(int number, String place, Context data) {
    return "event-%d-%08x".formatted(number, (place + JsonWriter.line(data.toMap())).hashCode());
  }

  /// When the next event is due; never when none waits for a time.
  long waitsUntil() {
    return advanceUntil;
  }

  /// Reports the events that did not fit until the end.
  void finish() {
    if (!events.isEmpty()) {
      progress.tell(
          "events not sent: "
              + String.join(", ", events.stream().map(each -> name(each.step().event())).toList()));
    }
  }

  /// An event as its file writes it.
  static String name(ScenarioEvent event) {
    return switch (event) {
      case ScenarioEvent.Start() -> "start";
      case ScenarioEvent.Done(var task, var data) -> "done " + task;
      case ScenarioEvent.Fail(var task, var reason) -> "fail " + task;
      case ScenarioEvent.Retry(var task) -> "retry " + task;
      case ScenarioEvent.Signal(var place, var data) -> "signal " + place;
      case ScenarioEvent.Cancel(var region) -> "cancel " + region;
      case ScenarioEvent.Complete(var region) -> "complete " + region;
      case ScenarioEvent.CancelTask(var task) -> "cancelTask " + task;
      case ScenarioEvent.Add(var set, var hasItem, var item) -> "add " + set;
      case ScenarioEvent.Close(var set) -> "close " + set;
      case ScenarioEvent.Advance(var time) -> "advance " + time;
    };
  }
}
