package dev.damask.verify;

import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TimerView;
import dev.damask.exec.Input;
import dev.damask.exec.Outcome;
import dev.damask.exec.TokenId;
import dev.damask.exec.Tracer;
import dev.damask.program.Program;
import dev.damask.task.Context;
import dev.damask.verify.Counterexample.Move;
import dev.damask.verify.Counterexample.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Follows a counterexample on the machine as it really runs. Guards answer as the trace says;
/// timers fire by moving the clock.
public final class Follower {
  private final GuidedCase guided;
  private final long pauseMillis;
  private final List<Event> events = new ArrayList<>();

  /// The timers of a trace would have to fire in an order that their times do not allow.
  public static final class OutOfTime extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OutOfTime(String message) {
      super(message);
    }
  }

  /// An event from outside, and the steps that the machine takes behind it.
  ///
  /// @param kind what happens; a timer stands for time that passes
  /// @param subject the task, place or set it happens to; empty for a start and for time
  /// @param time how much of it passes; zero unless it does
  /// @param choices the steps: the number of the token, then its answers
  public record Event(
      Counterexample.Kind kind, String subject, Duration time, List<List<Integer>> choices) {}

  /// What became of the case, and the events that led there.
  public record End(ExecState state, Outcome outcome, List<Event> events) {}

  private Follower(GuidedCase guided, long pauseMillis) {
    this.guided = guided;
    this.pauseMillis = pauseMillis;
    event(Counterexample.Kind.START, "", 0);
  }

  static End follow(Program program, Options options, Counterexample trace) {
    return follow(program, options, trace, null);
  }

  /// Follows a trace. Where it has timers, time must pass in a way that makes them fire in their
  /// order: either none passes between the events, or a little does.
  public static End follow(
      Program program, Options options, Counterexample trace, @Nullable Tracer tracer) {
    boolean timed = trace.steps().stream().anyMatch(step -> step.move() instanceof Move.Timer);
    if (!timed) {
      return new Follower(new GuidedCase(program, options, tracer), 0).follow(trace);
    }
    try {
      return new Follower(new GuidedCase(program, options, tracer), 0).follow(trace);
    } catch (IllegalStateException e) {
      try {
        return new Follower(new GuidedCase(program, options, tracer), 1).follow(trace);
      } catch (IllegalStateException again) {
        throw new OutOfTime(again.getMessage() + " (" + e.getMessage() + ")");
      }
    }
  }

  private End follow(Counterexample trace) {
    for (Step step : trace.steps()) {
      take(step);
    }
    return new End(guided.state(), guided.outcome(), List.copyOf(events));
  }

  private void event(Counterexample.Kind kind, String subject, long millis) {
    events.add(new Event(kind, subject, Duration.ofMillis(millis), new ArrayList<>()));
  }

  private void take(Step step) {
    String name = step.address();
    switch (step.move()) {
      case Move.Reduce(var token, var decisions) -> {
        guided.reduce(token, decisions);
        List<Integer> choice = new ArrayList<>(List.of(token));
        choice.addAll(decisions);
        events.getLast().choices().add(choice);
      }
      case Move.Done(var token) ->
          apply(step.kind(), name, new Input.TaskDone(guided.tokenOf(token), Context.empty()));
      case Move.Fail(var token) -> fail(step, guided.tokenOf(token));
      case Move.Signal(var place) ->
          apply(step.kind(), place, new Input.Signal(place, Context.empty()));
      case Move.Add(var set) -> apply(step.kind(), set, new Input.AddInstance(set, null, false));
      case Move.Timer(var isScope, var number) -> timer(isScope, number);
      case Move.Fire fire -> throw new IllegalArgumentException("a net has no machine");
    }
  }

  private void apply(Counterexample.Kind kind, String subject, Input input) {
    long later = guided.state().clock() + pauseMillis;
    if (pauseMillis > 0 && guided.nextDue().orElse(Long.MAX_VALUE) > later) {
      advance(later);
    }
    event(kind, subject, 0);
    guided.apply(input);
  }

  private void advance(long millis) {
    event(Counterexample.Kind.TIMER, "", millis - guided.state().clock());
    guided.apply(new Input.Advance(millis));
  }

  /// A task fails for good when its last attempt has failed.
  private void fail(Step step, TokenId token) {
    boolean pending = true;
    while (pending) {
      apply(step.kind(), step.address(), new Input.TaskFailed(token, "failed"));
      var attempt =
          guided.state().pendingEffects().stream()
              .filter(each -> each.token().equals(token))
              .findFirst();
      pending = attempt.isPresent();
      if (pending && attempt.get().notBefore().isPresent()) {
        advance(attempt.get().notBefore().getAsLong());
      }
    }
  }

  private void timer(boolean isScope, int number) {
    Map<Integer, Integer> numbers =
        isScope
            ? Exploration.frameNumbers(guided.state())
            : Exploration.tokenNumbers(guided.state());
    int id = GuidedCase.idOf(numbers, number);
    for (TimerView timer : Exploration.timers(guided.state())) {
      if (timer.isScope() == isScope && timer.id() == id) {
        if (guided.nextDue().orElse(0) < timer.due()) {
          throw new IllegalStateException("another timer is due before " + timer.address());
        }
        advance(timer.due());
        return;
      }
    }
    throw new IllegalStateException("no timer has the number " + number);
  }
}
