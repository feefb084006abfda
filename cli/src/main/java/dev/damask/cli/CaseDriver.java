package dev.damask.cli;

import dev.damask.document.ScenarioEvent;
import dev.damask.document.ScenarioStep;
import dev.damask.document.TaskAddress;
import dev.damask.exec.EffectRequest;
import dev.damask.exec.ExecState;
import dev.damask.exec.Failure;
import dev.damask.exec.Input;
import dev.damask.exec.Reply;
import dev.damask.exec.TokenId;
import dev.damask.testkit.Executions;
import dev.damask.trace.Recorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// Drives one case in memory and in real time: results of built-in effects first, then timers, then
/// the events of the user, and when none of these has anything, it parks until something is due.
final class CaseDriver {
  private final Recorder recorder;
  private final Executions executions;
  private final Progress progress;
  private final BuiltIns builtIns;
  private final List<Event> events = new ArrayList<>();
  private long advanceUntil = Long.MIN_VALUE;
  private boolean overdue;
  private int effects;

  /// An event that has not been played yet, with its number in the file.
  private record Event(int number, ScenarioStep step) {}

  CaseDriver(
      Recorder recorder,
      Executions executions,
      List<ScenarioStep> steps,
      BuiltIns builtIns,
      Progress progress) {
    this.recorder = recorder;
    this.executions = executions;
    this.progress = progress;
    this.builtIns = builtIns;
    for (int i = 0; i < steps.size(); i++) {
      if (!(steps.get(i).event() instanceof ScenarioEvent.Start)) {
        events.add(new Event(i + 1, steps.get(i)));
      }
    }
  }

  /// Runs until the case has ended or only the outside could move it on.
  ///
  /// @param caseTime how long the case may take; null when there is no limit
  void run(@Nullable Duration caseTime) {
    long deadline =
        caseTime == null ? Long.MAX_VALUE : System.currentTimeMillis() + caseTime.toMillis();
    observe();
    while (!state().isDone()) {
      long now = Math.max(System.currentTimeMillis(), state().clock());
      if (now >= deadline && !overdue) {
        overdue = true;
        apply(new Input.Fail(Failure.DEADLINE, "the case was to end within " + caseTime), now);
      } else if (!startEffects(now) && !finishEffect(now) && !fireTimer(now) && !play(now)) {
        OptionalLong next = nextDue();
        if (next.isEmpty()) {
          break;
        }
        park(Math.min(next.getAsLong(), overdue ? Long.MAX_VALUE : deadline) - now);
      }
    }
    if (!events.isEmpty()) {
      progress.tell(
          "not played: "
              + String.join(
                  ", ", events.stream().map(event -> name(event.step().event())).toList()));
    }
  }

  private boolean startEffects(long now) {
    builtIns.withdraw(state().takeWithdrawn());
    boolean moved = false;
    for (EffectRequest request : state().takeStarted()) {
      if (request.notBefore().isEmpty()) {
        Optional<Input> result = builtIns.start(request, now);
        result.ifPresent(input -> apply(input, now));
        moved |= result.isPresent();
      }
    }
    return moved;
  }

  private boolean finishEffect(long now) {
    Optional<Input> result = builtIns.due(now);
    result.ifPresent(input -> apply(input, now));
    return result.isPresent();
  }

  private boolean fireTimer(long now) {
    OptionalLong due = state().nextDue();
    if (due.isEmpty() || due.getAsLong() > now) {
      return false;
    }
    recorder.apply(new Input.Advance(due.getAsLong()));
    observe();
    return true;
  }

  /// Plays the first event that fits. Order matters to people, so while an effect is under way by
  /// itself an event waits for its task; otherwise the events behind it are tried.
  private boolean play(long now) {
    boolean busy =
        builtIns.isBusy()
            || state().pendingEffects().stream().anyMatch(each -> each.notBefore().isPresent());
    for (Iterator<Event> each = events.iterator(); each.hasNext(); ) {
      Event event = each.next();
      if (event.step().event() instanceof ScenarioEvent.Advance(var time)) {
        if (advanceUntil == Long.MIN_VALUE) {
          advanceUntil = now + time.toMillis();
        }
        if (now < advanceUntil) {
          return false;
        }
        advanceUntil = Long.MIN_VALUE;
        each.remove();
        return true;
      }
      Optional<Input> input = input(event.step().event());
      if (input.isPresent()) {
        each.remove();
        progress.tell("event " + event.number() + ", " + name(event.step().event()));
        answered(event, apply(input.get(), now));
        return true;
      }
      if (busy) {
        return false;
      }
    }
    return false;
  }

  private void answered(Event event, Reply reply) {
    if (!event.step().reply().name().equals(reply.name()) && reply != Reply.BUFFERED) {
      progress.message(
          "event %d, %s: %s".formatted(event.number(), name(event.step().event()), word(reply)));
    }
  }

  private static String word(Reply reply) {
    return switch (reply) {
      case ACCEPTED -> "was accepted";
      case LOST -> "was lost, nobody waited for it";
      case BUFFERED -> "is kept";
      case REJECTED -> "was rejected, the case does not take it";
      case LATE -> "came late, the task has ended";
      case NO_SUCH_REGION -> "there is no such region now";
      case CASE_ENDED -> "the case had ended";
    };
  }

  /// The input an event makes now; empty while it is too early for it.
  private Optional<Input> input(ScenarioEvent event) {
    return switch (event) {
      case ScenarioEvent.Done(var task, var data) ->
          running(task).map(token -> new Input.TaskDone(token, data));
      case ScenarioEvent.Fail(var task, var reason) ->
          running(task).map(token -> new Input.TaskFailed(token, reason));
      case ScenarioEvent.CancelTask(var task) -> running(task).map(Input.CancelTask::new);
      case ScenarioEvent.Signal(var place, var data) -> Optional.of(new Input.Signal(place, data));
      case ScenarioEvent.Cancel(var region) -> Optional.of(new Input.Kill(region, false));
      case ScenarioEvent.Complete(var region) -> Optional.of(new Input.Kill(region, true));
      case ScenarioEvent.Add(var set, var hasItem, var item) ->
          Optional.of(new Input.AddInstance(set, item, hasItem));
      case ScenarioEvent.Close(var set) -> Optional.of(new Input.CloseInstances(set));
      case ScenarioEvent.Start() -> Optional.empty();
      case ScenarioEvent.Advance(var time) -> Optional.empty();
    };
  }

  /// The token of a task that runs now, and does not just wait for its next attempt.
  private Optional<TokenId> running(TaskAddress address) {
    TokenId token = executions.find(address);
    return state().pendingEffects().stream()
        .filter(each -> each.token().equals(token) && each.notBefore().isEmpty())
        .map(EffectRequest::token)
        .findFirst();
  }

  private Reply apply(Input input, long now) {
    if (now > state().clock()) {
      recorder.apply(new Input.Advance(now));
    }
    if (input instanceof Input.TaskDone(var token, var result)) {
      builtIns.forget(token);
    } else if (input instanceof Input.TaskFailed(var token, var reason, var detail)) {
      builtIns.forget(token);
    }
    Reply reply = recorder.apply(input);
    observe();
    return reply;
  }

  private void observe() {
    List<String> seen = executions.take();
    effects += (int) seen.stream().filter(text -> text.endsWith("+")).count();
    progress.observed(seen);
  }

  private OptionalLong nextDue() {
    return LongStream.of(
            state().nextDue().orElse(Long.MAX_VALUE),
            builtIns.nextDue().orElse(Long.MAX_VALUE),
            advanceUntil == Long.MIN_VALUE ? Long.MAX_VALUE : advanceUntil)
        .filter(due -> due < Long.MAX_VALUE)
        .min();
  }

  private void park(long millis) {
    try {
      builtIns.park(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refusal("interrupted");
    }
  }

  static String name(ScenarioEvent event) {
    return switch (event) {
      case ScenarioEvent.Start() -> "start";
      case ScenarioEvent.Done(var task, var data) -> "done " + task;
      case ScenarioEvent.Fail(var task, var reason) -> "fail " + task;
      case ScenarioEvent.Signal(var place, var data) -> "signal " + place;
      case ScenarioEvent.Cancel(var region) -> "cancel " + region;
      case ScenarioEvent.Complete(var region) -> "complete " + region;
      case ScenarioEvent.CancelTask(var task) -> "cancelTask " + task;
      case ScenarioEvent.Add(var set, var hasItem, var item) -> "add " + set;
      case ScenarioEvent.Close(var set) -> "close " + set;
      case ScenarioEvent.Advance(var time) -> "advance " + time;
    };
  }

  private ExecState state() {
    return recorder.state();
  }

  Recorder recorder() {
    return recorder;
  }

  /// How many executions of tasks outside the machine were started.
  int effects() {
    return effects;
  }
}
