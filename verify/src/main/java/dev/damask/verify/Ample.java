package dev.damask.verify;

import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TokenView;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Mode;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds a token whose next step is independent of all other tokens, so that it can be taken first
/// (partial-order reduction).
///
/// ## Conditions
///
/// The step stays possible and has the same effect whatever the other tokens do before it, or it is
/// cancelled together with all its effects. So it does not touch a place, a named activation that
/// is killed, or a join whose outcome depends on the order of arrivals, and it cannot fail.
///
/// ## Correctness
///
/// Inputs occur only when no token can move, and then every input is tried. Between two inputs, a
/// set of one such token is strong stubborn: the deadlocked states are the same, and an end is
/// reachable in the reduced search if and only if it is reachable in the full one.
final class Ample {
  private final Program program;
  private final int[] code;
  private final Program.Pools pools;
  private final boolean canFail;
  private final boolean hasHolds;
  private final boolean hasUndo;
  private final boolean changesSets;
  private final boolean killsCase;

  /// Whether a join cancels the tokens of nodes. Then the time at which a token leaves a node
  /// matters.
  private final boolean clearsNodes;

  private final BitSet killed = new BitSet();
  private final BitSet emitted = new BitSet();
  private final int[] awaiting;

  Ample(Program program, Options options) {
    this.program = program;
    this.code = program.raw().code();
    this.pools = program.pools();
    this.awaiting = new int[pools.places().length];
    boolean fails = false;
    boolean kills = false;
    boolean sets = false;
    for (int at = 0; at < code.length; at += Code.length(code[at])) {
      switch (code[at]) {
        case Code.TASK_EXEC -> fails |= Abstraction.fails(pools.tasks()[code[at + 1]]);
        case Code.XOR_CHOOSE -> fails |= options.failures() && isOpen(code[at + 1]);
        case Code.PAR_FORK -> fails |= options.failures() && isOpenFork(code[at + 1]);
        case Code.KILL -> {
          Pool.Kill kill = pools.kills()[code[at + 1]];
          kills |= kill.name() < 0;
          if (kill.name() >= 0) {
            killed.set(kill.name());
          }
        }
        case Code.EMIT -> {
          Pool.Emission emission = pools.emissions()[code[at + 1]];
          sets |= emission.kind() != Pool.EmissionKind.PLACE;
          if (emission.kind() == Pool.EmissionKind.PLACE) {
            emitted.set(emission.target());
          }
        }
        case Code.AWAIT -> countPlaces(pools.awaits()[code[at + 1]]);
        default -> {}
      }
    }
    boolean holds = false;
    boolean undoes = false;
    for (Pool.Region region : pools.regions()) {
      holds |= region.holds().length > 0 || region.marking() >= 0;
      undoes |= region.undo();
    }
    canFail = fails;
    killsCase = kills;
    clearsNodes = Arrays.stream(pools.nets()).anyMatch(Ample::isClearing);
    changesSets = sets;
    hasHolds = holds;
    hasUndo = undoes;
  }

  private void countPlaces(Pool.Await await) {
    for (Pool.Alternative alternative : await.alternatives()) {
      for (int place : alternative.places()) {
        awaiting[place]++;
      }
    }
  }

  private boolean isOpen(int index) {
    Pool.Choice choice = pools.choices()[index];
    return !choice.isFree() && choice.otherwise() < 0;
  }

  private boolean isOpenFork(int index) {
    Pool.Fork fork = pools.forks()[index];
    if (fork.otherwise() >= 0) {
      return false;
    }
    for (var guard : fork.guards()) {
      if (guard == null) {
        return false;
      }
    }
    return true;
  }

  /// Returns a ready token that can be taken first, or null.
  @Nullable TokenView find(ExecState state, List<TokenView> ready) {
    for (TokenView token : ready) {
      if (isIndependent(state, token)) {
        return token;
      }
    }
    return null;
  }

  /// Returns the next instruction that is a separate step.
  private int next(int address) {
    int at = address;
    while (true) {
      switch (code[at]) {
        case Code.SEQ_ENTER, Code.NET_END -> at++;
        case Code.JOIN_WAIT -> at += 2;
        case Code.SEQ_NEXT, Code.LOOP_BACK -> at = code[at + 1];
        default -> {
          return at;
        }
      }
    }
  }

  private boolean isIndependent(ExecState state, TokenView token) {
    int at = next(token.address());
    return switch (code[at]) {
      case Code.TASK_EXEC -> {
        Pool.Task task = pools.tasks()[code[at + 1]];
        yield !Abstraction.fails(task) && task.undo() < 0;
      }
      case Code.EFFECT_YIELD, Code.LOOP_CHECK, Code.CALL, Code.NET_ENTER -> true;
      case Code.RET -> !hasHolds && !hasUndo;
      case Code.XOR_CHOOSE -> !canFail || !isOpen(code[at + 1]);
      case Code.PAR_FORK ->
          (!canFail || !isOpenFork(code[at + 1])) && !(clearsNodes && isSplit(code[at + 1]));
      case Code.CANCEL_SCOPE -> isQuiet(pools.regions()[code[at + 2]]);
      case Code.MI_SPAWN -> !changesSets && !killed.get(pools.instances()[code[at + 1]].name());
      case Code.ARRIVE -> isPlain(state, at);
      case Code.AWAIT -> isPrivate(pools.awaits()[code[at + 1]]);
      case Code.DONE -> isPlainEnd(token);
      case Code.STEP_GATE, Code.SPAWN -> Exploration.isPlainProcess(state, token.id());
      default -> false;
    };
  }

  /// Returns whether entering or leaving a region has no effect on other tokens.
  private boolean isQuiet(Pool.Region region) {
    return region.holds().length == 0
        && region.marking() < 0
        && !killed.get(region.name())
        && !hasHolds
        && !hasUndo
        && !(canFail && region.handler() >= 0);
  }

  private boolean isPlain(ExecState state, int at) {
    return !isClearing(pools.nets()[code[at + 1]])
        && !hasHolds
        && !hasUndo
        && Exploration.isPlainArrival(state, at);
  }

  private static boolean isClearing(Pool.Net net) {
    return Arrays.stream(net.nodes()).anyMatch(node -> node.kind() == Pool.JoinKind.CANCELLING);
  }

  /// Returns whether a fork sends the token of a node along arcs. Its tokens are then in no node.
  private boolean isSplit(int index) {
    return pools.forks()[index].policy() == null;
  }

  /// Returns whether only external events put tokens on the places and no other token waits for
  /// them.
  private boolean isPrivate(Pool.Await await) {
    for (Pool.Alternative alternative : await.alternatives()) {
      if (alternative.kind() == Pool.AlternativeKind.EXPIRED) {
        return false;
      }
      for (int place : alternative.places()) {
        boolean outside = pools.places()[place].place().external() && !emitted.get(place);
        if (!outside || awaiting[place] > 1) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean isPlainEnd(TokenView token) {
    if (hasHolds || hasUndo) {
      return false;
    }
    return switch (token.end()) {
      case Exploration.End.Branch(var fork) -> {
        JoinPolicy policy = java.util.Objects.requireNonNull(pools.forks()[fork].policy());
        yield !(policy.need() instanceof JoinPolicy.Need.Count);
      }
      case Exploration.End.Instance(var spec) ->
          pools.instances()[spec].policy().need() instanceof InstancePolicy.Need.All
              && !changesSets
              && !killed.get(pools.instances()[spec].name());
      case Exploration.End.Net(var net) ->
          pools.nets()[net].mode() == Mode.IMPLICIT && !isClearing(pools.nets()[net]);
      case Exploration.End.Case() -> program.mode() == Mode.IMPLICIT && !killsCase;
      case Exploration.End.Other() -> false;
    };
  }
}
