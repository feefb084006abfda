package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.exec.Machine.ReductionException;
import dev.damask.program.Pool;
import dev.damask.state.GroupState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Wait;
import dev.damask.term.StepNode;
import java.util.ArrayList;
import java.util.List;

/// The limits on process instances: how many there may be, how many of a case may be evaluated at
/// once, and what they may cost together.
///
/// What the window keeps is at its gate like everything else that waits; who begins is decided
/// there and only there.
final class Window {
  private Window() {}

  private static int size(GroupState root) {
    if (root.window == 0) {
      root.window =
          root.root.entry.get(StepNode.WINDOW) instanceof Long most
              ? Math.clamp(most, 1, Integer.MAX_VALUE)
              : Integer.MAX_VALUE;
    }
    return root.window;
  }

  /// Whether a process has to wait at its gate. One that opens a join does not: the rest of the
  /// case may wait for what it opens.
  static boolean keeps(GroupState root, Token token) {
    Pool.Step step = GroupState.group(token.frame).processes.steps()[token.node];
    boolean opens = step.valid().join() >= 0 || step.invalid().join() >= 0;
    return root.running >= size(root) && !opens;
  }

  /// The processes that only the window keeps, the oldest first, as many as there is room for.
  static List<Token> waiting(GroupState root) {
    int size = size(root);
    if (size == Integer.MAX_VALUE || root.running >= size) {
      return List.of();
    }
    List<Token> waiting = new ArrayList<>();
    for (Token token : GroupState.all(root.root)) {
      Wait wait = token.wait;
      boolean isKept =
          token.state == Token.State.HELD
              && wait != null
              && wait.group == null
              && wait.due == Timers.NEVER;
      if (isKept && waiting.size() < size - root.running) {
        waiting.add(token);
      }
    }
    return waiting;
  }

  /// Adds the cost of an evaluation.
  static void pay(GroupState root, long cost) {
    if (cost > 0) {
      root.setCost(cost > Long.MAX_VALUE - root.cost ? Long.MAX_VALUE : root.cost + cost);
      Object max = root.root.entry.get(StepNode.COST_MAX);
      if (max instanceof Long most && root.cost > most) {
        throw new ReductionException(
            Failure.LIMIT, "the processes may cost " + most + ", they have cost " + root.cost);
      }
    }
  }

  static void requireRoom(ExecState state, Pool.Branch branch, int most) {
    int more = branch.spawns().length + (branch.join() < 0 ? 0 : 1);
    if (state.live + more > most) {
      throw new ReductionException(
          Failure.LIMIT,
          "at most "
              + most
              + " processes at once, found "
              + state.live
              + " and "
              + more
              + " to start");
    }
  }
}
