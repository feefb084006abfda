package dev.damask.verify;

import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TimerView;
import dev.damask.exec.Exploration.TokenView;
import dev.damask.program.Program;
import dev.damask.trace.SteppedCase;
import dev.damask.value.Context;
import dev.damask.verify.Counterexample.Move;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// The moves of the search on a stepped case, from canonical state to canonical state.
final class Moves {
  /// The program without its data.
  final Program program;

  private final Oracle oracle;
  private final SteppedCase stepped;
  private final List<TraceEvent> events = new ArrayList<>();

  /// The places whose tokens are never read. Their number would distinguish states with the same
  /// behaviour.
  private final BitSet unread;

  Moves(Program program, Oracle oracle) {
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
    this.stepped = SteppedCase.guided(program, oracle, tracer);
  }

  /// Loads the initial state of a case.
  ExecState start() {
    return stepped.restart();
  }

  /// Loads a state.
  ExecState load(byte[] bytes) {
    return stepped.load(bytes);
  }

  /// Executes a move on the loaded state with the answers that the oracle was given.
  void take(Move move) {
    events.clear();
    switch (move) {
      case Move.Reduce(var token, var decisions) -> stepped.step(token);
      case Move.Done(var token) ->
          stepped.applyAndSettle(new Input.TaskDone(new TokenId(token), Context.empty()));
      case Move.Fail(var token) ->
          stepped.applyAndSettle(new Input.TaskFailed(new TokenId(token), "failed"));
      case Move.Signal(var place) ->
          stepped.applyAndSettle(new Input.Signal(place, Context.empty()));
      case Move.Add(var name) -> stepped.applyAndSettle(new Input.AddInstance(name, null, false));
      case Move.Close(var name) -> stepped.applyAndSettle(new Input.CloseInstances(name));
      case Move.Timer(var isScope, var id) -> stepped.fire(isScope, id);
      case Move.Fire fire ->
          throw new IllegalArgumentException("a net transition cannot run on the machine");
    }
    Exploration.empty(stepped.state(), unread);
  }

  /// Returns the trace events of the last move.
  List<TraceEvent> events() {
    return events;
  }

  /// Returns the tokens of the loaded state that can take a step.
  List<TokenView> ready() {
    List<TokenView> ready = new ArrayList<>();
    for (TokenView token : Exploration.tokens(stepped.state())) {
      if (token.isReady()) {
        ready.add(token);
      }
    }
    return ready;
  }

  /// Returns the external events of the loaded state, which are possible only when no token is
  /// ready.
  List<Move> inputs(Options options, boolean failuresMatter) {
    ExecState state = stepped.state();
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
    stepped.unclosedSets().forEach(name -> moves.add(new Move.Close(name)));
    if (failuresMatter) {
      for (EffectRequest request : state.pendingEffects()) {
        moves.add(new Move.Fail(request.token().number()));
      }
    }
    return moves;
  }

  /// Returns what the loaded state waits for if it is deadlocked; empty otherwise.
  List<String> report() {
    return stepped.outcome() instanceof Outcome.Deadlocked(var lines) ? lines : List.of();
  }

  Oracle oracle() {
    return oracle;
  }
}
