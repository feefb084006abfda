package dev.damask.verify;

import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.TokenId;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TimerView;
import dev.damask.exec.Exploration.TokenView;
import dev.damask.program.Program;
import dev.damask.trace.SteppedCase;
import dev.damask.value.Context;
import dev.damask.verify.Counterexample.Move;
import dev.damask.verify.Counterexample.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Replays a counterexample on the real program. The trace answers the guards; timers fire by
/// advancing the clock.
public final class CounterexampleReplay {
  /// The pauses between events that are tried before a timetable is computed.
  private static final List<Long> PAUSES = List.of(0L, 1L);

  private final Program program;
  private final SteppedCase guided;
  private final long pauseMillis;

  /// The time of each external event; empty if the pause determines it.
  private final long[] times;

  private final List<Event> events = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private int happened;

  /// Thrown when the timers of a trace cannot fire in the required order.
  public static final class OutOfTime extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OutOfTime(String message) {
      super(message);
    }
  }

  /// An external event and the steps of the machine after it.
  ///
  /// @param kind the kind of event; a timer means that time passes
  /// @param subject the task, place or set; empty for a start and for time
  /// @param time the time that passes; otherwise zero
  /// @param choices the steps: the number of the token, then its answers
  public record Event(
      Counterexample.Kind kind, String subject, Duration time, List<List<Integer>> choices) {}

  /// The final state of the case and the events that led there.
  ///
  /// @param steps the steps of the trace with the actual instances
  @SuppressWarnings("exports") // the state is for our own modules
  public record End(ExecState state, Outcome outcome, List<Event> events, List<Step> steps) {
    /// Returns what a deadlocked case waits for; empty for others.
    List<String> report() {
      return outcome instanceof Outcome.Deadlocked(var lines) ? lines : List.of();
    }
  }

  private CounterexampleReplay(
      Program program, SteppedCase guided, long pauseMillis, long... times) {
    this.program = program;
    this.guided = guided;
    this.pauseMillis = pauseMillis;
    this.times = times;
    event(Counterexample.Kind.START, "", 0);
  }

  /// Starts a guided case of a program without its data, for scenarios with `choices`. Its retries
  /// and timers are those of the program.
  public static SteppedCase start(Program program, Options options, @Nullable Tracer tracer) {
    Oracle oracle = new Oracle();
    return SteppedCase.guided(
        Abstraction.forReplay(program, oracle, options).program(), oracle, tracer);
  }

  static End follow(Program program, Options options, Counterexample trace) {
    return follow(program, options, trace, null);
  }

  /// Replays a trace. If it has timers, the times of events must make them fire in the order of the
  /// trace: no pauses, short pauses, or a computed timetable are tried. Throws [OutOfTime] if no
  /// times lead to this order.
  public static End follow(
      Program program, Options options, Counterexample trace, @Nullable Tracer tracer) {
    boolean timed = trace.steps().stream().anyMatch(step -> step.move() instanceof Move.Timer);
    if (!timed) {
      return new CounterexampleReplay(program, start(program, options, tracer), 0).follow(trace);
    }
    List<String> reasons = new ArrayList<>();
    for (long pause : PAUSES) {
      try {
        return new CounterexampleReplay(program, start(program, options, tracer), pause)
            .follow(trace);
      } catch (IllegalStateException e) {
        reasons.add(String.valueOf(e.getMessage()));
      }
    }
    for (boolean ties : new boolean[] {false, true}) {
      try {
        Optional<long[]> times = Timetable.of(program, options, trace, ties);
        if (times.isPresent()) {
          SteppedCase guided = start(program, options, tracer);
          return new CounterexampleReplay(program, guided, 0, times.get()).follow(trace);
        }
      } catch (IllegalStateException e) {
        reasons.add(String.valueOf(e.getMessage()));
      }
    }
    throw new OutOfTime(
        "no pauses between the events make the timers fire in this order: " + reasons.getFirst());
  }

  private End follow(Counterexample trace) {
    for (Step step : trace.steps()) {
      take(step);
    }
    return new End(guided.state(), guided.outcome(), List.copyOf(events), List.copyOf(steps));
  }

  private void event(Counterexample.Kind kind, String subject, long millis) {
    events.add(new Event(kind, subject, Duration.ofMillis(millis), new ArrayList<>()));
  }

  private void take(Step told) {
    Step step = inRealInstance(told);
    steps.add(step);
    String name = step.address();
    switch (step.move()) {
      case Move.Reduce(var token, var decisions) -> {
        guided.step(token, decisions);
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
      case Move.Close(var set) -> apply(step.kind(), set, new Input.CloseInstances(set));
      case Move.Timer(var isScope, var number) -> timer(isScope, number);
      case Move.Fire fire ->
          throw new IllegalArgumentException("a net transition cannot run on the machine");
    }
  }

  /// Returns a step with the instance of the case. The search numbers instances by content, the
  /// case by the order of their start.
  private Step inRealInstance(Step step) {
    int number =
        switch (step.move()) {
          case Move.Reduce(var token, var decisions) -> token;
          case Move.Done(var token) -> token;
          case Move.Fail(var token) -> token;
          case Move.Signal signal -> 0;
          case Move.Add add -> 0;
          case Move.Close close -> 0;
          case Move.Timer timer -> 0;
          case Move.Fire fire -> 0;
        };
    if (step.label().isEmpty() || number == 0) {
      return step;
    }
    int id = guided.tokenOf(number).number();
    for (TokenView token : Exploration.tokens(guided.state())) {
      if (token.id() == id) {
        String real = step.subject() + "[" + token.label() + "]";
        boolean named = !step.subject().isEmpty();
        String text = named ? step.text().replace(step.address(), real) : step.text();
        return new Step(step.kind(), step.subject(), token.label(), step.path(), text, step.move());
      }
    }
    return step;
  }

  private void apply(Counterexample.Kind kind, String subject, Input input) {
    happened++;
    if (times.length > 0) {
      advanceTo(times[happened]);
      event(kind, subject, 0);
      guided.apply(input, List.of());
      return;
    }
    long later = guided.state().clock() + pauseMillis;
    if (pauseMillis > 0 && guided.state().nextDue().orElse(Long.MAX_VALUE) > later) {
      advance(later);
    }
    event(kind, subject, 0);
    guided.apply(input, List.of());
  }

  private void advanceTo(long millis) {
    if (millis > guided.state().clock()) {
      advance(millis);
    }
  }

  private void advance(long millis) {
    event(Counterexample.Kind.TIMER, "", millis - guided.state().clock());
    guided.apply(new Input.Advance(millis), List.of());
  }

  /// Fails all attempts of a task.
  private void fail(Step step, TokenId token) {
    boolean pending = true;
    while (pending) {
      apply(step.kind(), step.address(), new Input.TaskFailed(token, "failed"));
      var attempt =
          guided.state().pendingEffects().stream()
              .filter(each -> each.token().equals(token))
              .findFirst();
      pending = attempt.isPresent();
      if (pending && attempt.get().notBefore().isPresent() && !attempt.get().isParked()) {
        happened++;
        advance(attempt.get().notBefore().getAsLong());
      }
    }
  }

  private void timer(boolean isScope, int number) {
    happened++;
    int id = guided.timerOf(isScope, number);
    for (TimerView timer : Exploration.timers(guided.state())) {
      if (timer.isScope() == isScope && timer.id() == id) {
        if (guided.state().nextDue().orElse(0) < timer.due()) {
          throw new IllegalStateException(
              "another timer is due before the one at " + Sites.path(program, timer.address()));
        }
        advance(timer.due());
        return;
      }
    }
    throw new IllegalStateException("unknown timer number " + number);
  }
}
