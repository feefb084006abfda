package dev.damask.verify;

import dev.damask.exec.Choice;
import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TimerView;
import dev.damask.exec.Input;
import dev.damask.exec.Machine;
import dev.damask.exec.Outcome;
import dev.damask.exec.Scheduler;
import dev.damask.exec.TokenId;
import dev.damask.program.Program;
import dev.damask.task.Context;
import dev.damask.verify.Counterexample.Move;
import dev.damask.verify.Counterexample.Step;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Follows a counterexample on the machine as it really runs: one state from start to end, with its
/// own ids and contexts, never written and read back. Guards answer as the trace says; timers fire
/// by moving the clock.
final class Follower {
  private final Oracle oracle = new Oracle();
  private final Machine machine;
  private final ExecState state;
  private final long pauseMillis;
  private @Nullable Integer picked;

  /// The timers of a trace would have to fire in an order that their times do not allow.
  static final class OutOfTime extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OutOfTime(String message) {
      super(message);
    }
  }

  private Follower(Program program, Options options, long pauseMillis) {
    this.pauseMillis = pauseMillis;
    Program scripted = Abstraction.forReplay(program, oracle, options).program();
    Scheduler scheduler =
        new Scheduler() {
          @Override
          public boolean isInOrder() {
            return false;
          }

          @Override
          public int choose(Choice choice) {
            if (choice.kind() == Choice.Kind.BRANCH) {
              return oracle.choose(choice.options().size());
            }
            return picked == null ? 0 : Math.max(0, choice.options().indexOf(picked));
          }
        };
    machine = new Machine(scripted, new Machine.Options(scheduler, scripted.limits(), true, null));
    state = machine.start(Context.empty(), 0);
  }

  /// What became of the case.
  record End(ExecState state, Outcome outcome) {}

  /// Follows a trace. Where it has timers, time must pass in a way that makes them fire in their
  /// order: either none passes between the events, or a little does.
  static End follow(Program program, Options options, Counterexample trace) {
    boolean timed = trace.steps().stream().anyMatch(step -> step.move() instanceof Move.Timer);
    if (!timed) {
      return follow(new Follower(program, options, 0), trace);
    }
    try {
      return follow(new Follower(program, options, 0), trace);
    } catch (IllegalStateException e) {
      try {
        return follow(new Follower(program, options, 1), trace);
      } catch (IllegalStateException again) {
        throw new OutOfTime(again.getMessage() + " (" + e.getMessage() + ")");
      }
    }
  }

  private static End follow(Follower follower, Counterexample trace) {
    for (Step step : trace.steps()) {
      follower.take(step.move());
    }
    return new End(follower.state, follower.machine.outcome(follower.state));
  }

  private void take(Move move) {
    switch (move) {
      case Move.Reduce(var token, var decisions) -> {
        oracle.restart(decisions);
        picked = token == 0 ? null : idOf(Exploration.tokenNumbers(state), token);
        machine.step(state);
      }
      case Move.Done(var token) -> apply(new Input.TaskDone(tokenOf(token), Context.empty()));
      case Move.Fail(var token) -> fail(tokenOf(token));
      case Move.Signal(var place) -> apply(new Input.Signal(place, Context.empty()));
      case Move.Add(var name) -> apply(new Input.AddInstance(name, null, false));
      case Move.Timer(var isScope, var number) -> timer(isScope, number);
      case Move.Fire fire -> throw new IllegalArgumentException("a net has no machine");
    }
  }

  private void apply(Input input) {
    oracle.restart(List.of());
    long later = state.clock() + pauseMillis;
    if (pauseMillis > 0 && machine.nextDue(state).orElse(Long.MAX_VALUE) > later) {
      machine.apply(state, new Input.Advance(later));
    }
    machine.apply(state, input);
    machine.run(state, 0);
  }

  /// A task fails for good when its last attempt has failed.
  private void fail(TokenId token) {
    boolean pending = true;
    while (pending) {
      apply(new Input.TaskFailed(token, "failed"));
      var attempt =
          state.pendingEffects().stream().filter(each -> each.token().equals(token)).findFirst();
      pending = attempt.isPresent();
      if (pending && attempt.get().notBefore().isPresent()) {
        apply(new Input.Advance(attempt.get().notBefore().getAsLong()));
      }
    }
  }

  private void timer(boolean isScope, int number) {
    Map<Integer, Integer> numbers =
        isScope ? Exploration.frameNumbers(state) : Exploration.tokenNumbers(state);
    int id = idOf(numbers, number);
    for (TimerView timer : Exploration.timers(state)) {
      if (timer.isScope() == isScope && timer.id() == id) {
        if (machine.nextDue(state).orElse(0) < timer.due()) {
          throw new IllegalStateException("another timer is due before " + timer.address());
        }
        apply(new Input.Advance(timer.due()));
        return;
      }
    }
    throw new IllegalStateException("no timer has the number " + number);
  }

  private TokenId tokenOf(int number) {
    return new TokenId(idOf(Exploration.tokenNumbers(state), number));
  }

  private static int idOf(Map<Integer, Integer> numbers, int number) {
    for (Map.Entry<Integer, Integer> entry : numbers.entrySet()) {
      if (entry.getValue() == number) {
        return entry.getKey();
      }
    }
    throw new IllegalStateException("nothing has the number " + number);
  }
}
