package dev.damask.verify;

import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TimerView;
import dev.damask.program.Program;
import dev.damask.trace.SteppedCase;
import dev.damask.value.Context;
import dev.damask.verify.Counterexample.Move;
import dev.damask.verify.Counterexample.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Computes times of a trace's events at which its timers fire in the order of the trace.
///
/// A first run with a stopped clock records, for every event, the running timers and their starts.
/// This gives inequalities between the times of events: a timer fires exactly its duration after
/// the event that started it, and no other event happens after a running timer is due. The least
/// solution is the timetable. Without a solution, no pauses between the events lead to this trace.
final class Timetable {
  /// A running timer. The order distinguishes two waits of one token.
  private record Timer(boolean isScope, int id, int order) {}

  /// The start of a timer: the number of the event, and its duration.
  private record Start(int event, long millis) {}

  /// The constraint that the time of an event is at least that of another plus a difference.
  private record AtLeast(int event, int other, long millis) {}

  private final SteppedCase guided;
  private final long margin;
  private final Map<Timer, Start> timers = new HashMap<>();
  private final List<AtLeast> constraints = new ArrayList<>();
  private int last;

  private Timetable(SteppedCase guided, long margin) {
    this.guided = guided;
    this.margin = margin;
  }

  /// Returns the time of each external event in milliseconds, the start first; empty if there is no
  /// timetable.
  ///
  /// @param ties whether a timer may fire at the time at which another one is due
  static Optional<long[]> of(Program program, Options options, Counterexample trace, boolean ties) {
    Timetable timetable =
        new Timetable(CounterexampleReplay.start(program, options, null), ties ? 0 : 1);
    trace.steps().forEach(timetable::take);
    return timetable.solve();
  }

  private void take(Step step) {
    switch (step.move()) {
      case Move.Reduce(var token, var decisions) -> guided.step(token, decisions);
      case Move.Done(var token) ->
          input(new Input.TaskDone(guided.tokenOf(token), Context.empty()));
      case Move.Fail(var token) -> fail(guided.tokenOf(token));
      case Move.Signal(var place) -> input(new Input.Signal(place, Context.empty()));
      case Move.Add(var set) -> input(new Input.AddInstance(set, null, false));
      case Move.Close(var set) -> input(new Input.CloseInstances(set));
      case Move.Timer(var isScope, var number) -> timer(isScope, guided.timerOf(isScope, number));
      case Move.Fire fire ->
          throw new IllegalArgumentException("a net transition cannot run on the machine");
    }
  }

  private void input(Input input) {
    noteStarts();
    last++;
    constraints.add(new AtLeast(last, last - 1, 0));
    for (TimerView view : Exploration.timers(guided.state())) {
      before(view, 1);
    }
    guided.apply(input, List.of());
  }

  /// Fails all attempts of a task.
  private void fail(TokenId token) {
    Optional<EffectRequest> attempt;
    do {
      input(new Input.TaskFailed(token, "failed"));
      attempt =
          guided.state().pendingEffects().stream()
              .filter(each -> each.token().equals(token))
              .findFirst();
      boolean isDelayed =
          attempt.isPresent() && attempt.get().notBefore().isPresent() && !attempt.get().isParked();
      if (isDelayed) {
        timer(false, token.number());
      }
    } while (attempt.isPresent());
  }

  private void timer(boolean isScope, int id) {
    noteStarts();
    last++;
    constraints.add(new AtLeast(last, last - 1, 0));
    for (TimerView view : Exploration.timers(guided.state())) {
      if (view.isScope() == isScope && view.id() == id) {
        Start start = start(view);
        constraints.add(new AtLeast(last, start.event(), start.millis()));
        constraints.add(new AtLeast(start.event(), last, -start.millis()));
      } else {
        before(view, margin);
      }
    }
    guided.fire(isScope, id, List.of());
  }

  /// Adds the constraint that the last event happens this many milliseconds before a timer is due.
  private void before(TimerView view, long millis) {
    Start start = start(view);
    constraints.add(new AtLeast(start.event(), last, millis - start.millis()));
  }

  /// Records new timers as started by the last event, because the clock is stopped at zero.
  private void noteStarts() {
    for (TimerView view : Exploration.timers(guided.state())) {
      start(view);
    }
  }

  private Start start(TimerView view) {
    Timer timer = new Timer(view.isScope(), view.id(), view.order());
    return timers.computeIfAbsent(timer, key -> new Start(last, view.due()));
  }

  /// Increases times until every inequality holds; empty if they form a positive cycle.
  private Optional<long[]> solve() {
    long[] times = new long[last + 1];
    for (int round = 0; round <= times.length; round++) {
      boolean raised = false;
      for (AtLeast each : constraints) {
        long least = times[each.other()] + each.millis();
        if (times[each.event()] < least) {
          times[each.event()] = least;
          raised = true;
        }
      }
      if (!raised) {
        return times[0] == 0 ? Optional.of(times) : Optional.empty();
      }
    }
    return Optional.empty();
  }
}
