package dev.damask.exec;

import dev.damask.event.Status;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.state.Frame;
import dev.damask.state.NetState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Wait;
import dev.damask.value.Decoder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;

/// The part of [StateReader] that rebuilds everything that can be told from the tokens and frames
/// of a state: who waits for what, in which order, and until when.
final class StateIndex {
  private final Machine machine;
  private final Decoder in;
  private final SortedMap<Integer, Frame> frames;
  private final SortedMap<Integer, Token> tokens;

  /// A place in a queue whose token is read later.
  record Queued(NetState.Arcs arcs, int arc, int token) {}

  StateIndex(
      Machine machine,
      Decoder in,
      SortedMap<Integer, Frame> frames,
      SortedMap<Integer, Token> tokens) {
    this.machine = machine;
    this.in = in;
    this.frames = frames;
    this.tokens = tokens;
  }

  void rebuild(ExecState state, GroupReader groups, List<Queued> queues) {
    indexFrames(state, groups);
    indexTokens(state, queues);
    if (state.executions == null) {
      assumeExecutions(machine, state);
    }
    if (frames.isEmpty()) {
      state.root.closed = true;
      state.root.delivered = state.status == Status.COMPLETED;
    }
    if (state.status.isEnded() != frames.isEmpty()) {
      throw in.damaged("a state is open if and only if it has frames");
    }
    Consistency.holds(state);
  }

  private void indexFrames(ExecState state, GroupReader groups) {
    for (Frame frame : frames.values()) {
      switch (frame.kind) {
        case REGION -> {
          Pool.Region region = machine.pools.regions()[frame.spec];
          state.named(region.name()).put(frame.id, frame);
          if (region.marking() >= 0) {
            machine.places.at(state, frame, region.marking()).marks++;
          }
        }
        case SET -> {
          state.named(machine.pools.instances()[frame.spec].name()).put(frame.id, frame);
          state.openSets += machine.instances.awaitsClose(frame) ? 1 : 0;
        }
        case NET -> {
          if (machine.pools.nets()[frame.spec].hasWaitingJoins()) {
            state.nets().put(frame.id, frame);
          }
        }
        case GROUP -> groups.index(state, frame, tokens);
        default -> {}
      }
      if (frame.scope != null && frame.scope.due != Timers.NEVER) {
        state.timers().add(frame.scope.due, frame.scope.dueOrder, frame);
      }
    }
  }

  private void indexTokens(ExecState state, List<Queued> queues) {
    for (Queued queued : queues) {
      Token token = tokens.get(queued.token());
      if (token == null || token.state != Token.State.QUEUED) {
        throw in.damaged("a queue names token " + queued.token());
      }
      queued.arcs().queues[queued.arc()].add(token);
    }
    List<Token> waiting = new ArrayList<>();
    for (Token token : tokens.values()) {
      if (token.wait != null) {
        waiting.add(token);
      } else if (token.state == Token.State.READY) {
        state.wake(token);
      }
    }
    waiting.sort(Comparator.comparingInt(token -> Objects.requireNonNull(token.wait).number));
    waiting.forEach(token -> resume(state, token));
  }

  private void resume(ExecState state, Token token) {
    Wait wait = Objects.requireNonNull(token.wait);
    if (token.state == Token.State.AWAIT && !fits(token, wait)) {
      throw in.damaged("token " + token.id + " waits for the wrong thing");
    }
    if (token.state == Token.State.EFFECT) {
      state.effects().put(token);
    } else if (token.state == Token.State.HELD) {
      machine.groups.register(state, token);
    } else {
      machine.places.register(state, token);
    }
    if (wait.due != Timers.NEVER) {
      state.timers().add(wait.due, wait.number, token);
    }
  }

  private boolean fits(Token token, Wait wait) {
    if (machine.program.raw().code()[token.ip] == Code.AWAIT) {
      Pool.Await await = machine.pools.awaits()[machine.program.raw().code()[token.ip + 1]];
      return !wait.holds && wait.timerAlternative == Places.shortest(await);
    }
    return wait.holds
        && token.frame.kind == Frame.Kind.REGION
        && token.frame.spec == machine.program.raw().code()[token.ip + 2];
  }

  /// Numbers the executions that wait in a state that was stored without counts.
  private static void assumeExecutions(Machine machine, ExecState state) {
    if (state.effects != null && machine.repeats()) {
      for (Token token : state.effects.inOrder()) {
        Objects.requireNonNull(token.wait).execution =
            state.nextExecution(machine, token, token.task(state.program).name());
      }
    }
  }
}
