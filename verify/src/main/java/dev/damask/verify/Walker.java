package dev.damask.verify;

import dev.damask.event.Choice;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Scheduler;
import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TimerView;
import dev.damask.exec.Exploration.TokenView;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.value.Context;
import dev.damask.verify.Counterexample.Move;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// Executes single moves on the real machine, from canonical state to canonical state.
final class Walker {
  /// The program without its data.
  final Program program;

  private final Oracle oracle;
  private final Machine machine;
  private final List<TraceEvent> events = new ArrayList<>();
  private int picked;

  /// The places whose tokens are never read. Their number would distinguish states with the same
  /// behaviour.
  private final BitSet unread;

  Walker(Program program, Oracle oracle) {
    this.program = program;
    this.oracle = oracle;
    this.unread = TokenBounds.unread(program);
    Tracer tracer =
        new Tracer() {
          @Override
          public boolean wantsAll() {
            return true;
          }

          @Override
          public void accept(TraceEvent event) {
            events.add(event);
          }
        };
    this.machine =
        new Machine(program, new Machine.Options(new Guided(), program.limits(), true, tracer));
  }

  /// Schedules the token that the walker chooses and the branch that the oracle chooses.
  private final class Guided implements Scheduler {
    @Override
    public boolean isInOrder() {
      return false;
    }

    @Override
    public int choose(Choice choice) {
      if (choice.kind() == Choice.Kind.BRANCH) {
        return oracle.choose(choice.options().size());
      }
      // The machine asks once more after the step; that answer has no effect.
      int index = choice.options().indexOf(picked);
      return Math.max(0, index);
    }
  }

  /// Returns the initial state of a case.
  ExecState start() {
    return machine.start(Context.empty(), 0);
  }

  ExecState decode(byte[] bytes) {
    return StateCodec.decode(machine, bytes);
  }

  /// Executes a move with the answers that the oracle was given.
  void take(ExecState state, Move move) {
    events.clear();
    switch (move) {
      case Move.Reduce(var token, var decisions) -> {
        picked = token;
        machine.advance(state);
      }
      case Move.Done(var token) ->
          input(state, new Input.TaskDone(new TokenId(token), Context.empty()));
      case Move.Fail(var token) -> input(state, new Input.TaskFailed(new TokenId(token), "failed"));
      case Move.Signal(var place) -> input(state, new Input.Signal(place, Context.empty()));
      case Move.Add(var name) -> input(state, new Input.AddInstance(name, null, false));
      case Move.Close(var name) -> input(state, new Input.CloseInstances(name));
      case Move.Timer(var isScope, var id) -> {
        Exploration.fire(machine, state, isScope, id);
        machine.run(state, 0);
      }
      case Move.Fire fire ->
          throw new IllegalArgumentException("a net transition cannot run on the machine");
    }
    Exploration.empty(state, unread);
  }

  private void input(ExecState state, Input input) {
    machine.apply(state, input);
    machine.run(state, 0);
  }

  /// Returns the trace events of the last move.
  List<TraceEvent> events() {
    return events;
  }

  List<TokenView> ready(ExecState state) {
    List<TokenView> ready = new ArrayList<>();
    for (TokenView token : Exploration.tokens(state)) {
      if (token.isReady()) {
        ready.add(token);
      }
    }
    return ready;
  }

  /// Returns the external events, which are possible only when no token is ready.
  List<Move> inputs(ExecState state, Options options, boolean failuresMatter) {
    List<Move> moves = new ArrayList<>();
    for (EffectRequest request : state.pendingEffects()) {
      moves.add(new Move.Done(request.token().number()));
    }
    if (options.signals() != Options.Signals.NEVER) {
      Exploration.wanted(state).forEach(place -> moves.add(new Move.Signal(place)));
    }
    if (options.timers()) {
      for (TimerView timer : Exploration.timers(state)) {
        moves.add(new Move.Timer(timer.isScope(), timer.id()));
      }
    }
    if (options.addedMax() > 0) {
      Exploration.openSets(state).forEach(name -> moves.add(new Move.Add(name)));
    }
    Exploration.unclosedSets(machine, state).forEach(name -> moves.add(new Move.Close(name)));
    if (failuresMatter) {
      for (EffectRequest request : state.pendingEffects()) {
        moves.add(new Move.Fail(request.token().number()));
      }
    }
    return moves;
  }

  List<String> report(ExecState state) {
    return machine.outcome(state) instanceof dev.damask.event.Outcome.Deadlocked(var lines)
        ? lines
        : List.of();
  }

  Oracle oracle() {
    return oracle;
  }
}
