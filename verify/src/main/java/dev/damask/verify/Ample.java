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
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds a token whose next step makes no difference to any other token, so that it can go first.
///
/// ## When a step is of that kind
///
/// Whatever the others do before it, it stays possible and leads to the same, or it is withdrawn
/// together with all it did. So it touches no place, no named activation that something kills, no
/// join whose outcome depends on who comes first, and it cannot fail.
///
/// ## What that is enough for
///
/// Inputs come only when no token can move, and there every input is tried. Between two inputs, a
/// set of one such token is strong stubborn: the states in which the case stands still are the
/// same, and an end stays in reach in the reduced search if and only if it does in the full one.
final class Ample {
  private final Program program;
  private final int[] code;
  private final Program.Pools pools;
  private final boolean canFail;
  private final boolean hasHolds;
  private final boolean hasUndo;
  private final boolean changesSets;
  private final boolean killsCase;
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
      holds |= region.holds().length > 0;
      undoes |= region.undo();
    }
    canFail = fails;
    killsCase = kills;
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

  /// A ready token that can go first, or null.
  @Nullable TokenView find(ExecState state, List<TokenView> ready) {
    for (TokenView token : ready) {
      if (isIndependent(state, token)) {
        return token;
      }
    }
    return null;
  }

  /// The next instruction that is a step of its own.
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
      case Code.PAR_FORK -> !canFail || !isOpenFork(code[at + 1]);
      case Code.CANCEL_SCOPE -> isQuiet(pools.regions()[code[at + 2]]);
      case Code.MI_SPAWN -> !changesSets && !killed.get(pools.instances()[code[at + 1]].name());
      case Code.ARRIVE -> isPlain(state, at);
      case Code.AWAIT -> isPrivate(pools.awaits()[code[at + 1]]);
      case Code.DONE -> isPlainEnd(token);
      case Code.STEP_GATE, Code.SPAWN -> Exploration.isPlainProcess(state, token.id());
      default -> false;
    };
  }

  /// Entering or leaving changes nothing for anybody else.
  private boolean isQuiet(Pool.Region region) {
    return region.holds().length == 0
        && !killed.get(region.name())
        && !hasHolds
        && !hasUndo
        && !(canFail && region.handler() >= 0);
  }

  private boolean isPlain(ExecState state, int at) {
    for (Pool.Node node : pools.nets()[code[at + 1]].nodes()) {
      if (node.kind() == Pool.JoinKind.CANCELLING) {
        return false;
      }
    }
    return !hasHolds && !hasUndo && Exploration.isPlainArrival(state, at);
  }

  /// Only the outside puts tokens on the places, and nobody else waits for them.
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
      case Exploration.End.Net(var net) -> pools.nets()[net].mode() == Mode.IMPLICIT;
      case Exploration.End.Case() -> program.mode() == Mode.IMPLICIT && !killsCase;
      case Exploration.End.Other() -> false;
    };
  }
}
