package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.event.TraceEvent;
import dev.damask.exec.Machine.ReductionException;
import dev.damask.program.Pool;
import dev.damask.state.Frame;
import dev.damask.state.Invariant;
import dev.damask.state.JoinCounter;
import dev.damask.state.Token;
import dev.damask.state.Token.Lineage;
import dev.damask.state.Undoing;
import dev.damask.task.Guard;
import dev.damask.term.JoinPolicy;
import dev.damask.value.Context;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Forks, branches and the joins of blocks.
final class Blocks {
  private final Machine machine;

  Blocks(Machine machine) {
    this.machine = machine;
  }

  /// Retires the token and starts one for each selected branch.
  void fork(ExecState state, Token token, int index) {
    Pool.Fork fork = machine.pools.forks()[index];
    int[] selected = select(fork, token.context);
    if (fork.policy() == null) {
      forkInNet(state, token, fork, selected);
      return;
    }
    Frame block = machine.openBeside(state, Frame.Kind.BLOCK, token, index);
    block.setLoops(token.loops);
    JoinCounter join = new JoinCounter(selected, machine.writes.any);
    block.setJoin(join);
    machine.remove(state, token);
    for (int i = 0; i < selected.length; i++) {
      long lineage = Lineage.of(block.lineage, selected[i]);
      Frame branch = new Frame(++state.lastId, Frame.Kind.BRANCH, block, i, block.entry, lineage);
      block.attach(branch);
      Token child =
          machine.newToken(
              state, branch, fork.targets()[selected[i]], block.entry, block.entryStamps, lineage);
      state.wake(child);
    }
    machine.trace(
        state, TraceEvent.Kind.FORKED, "PAR-FORK", token, "", selected.length + " branches");
    if (fork.policy().need() instanceof JoinPolicy.Need.Count(int k) && k == 0) {
      fire(state, block, fork.policy());
    } else {
      check(state, block);
    }
  }

  private void forkInNet(ExecState state, Token token, Pool.Fork fork, int[] selected) {
    Frame net = token.frame;
    long origin = token.nextLineage();
    machine.remove(state, token);
    for (int i = 0; i < selected.length; i++) {
      Token child =
          machine.newToken(
              state,
              net,
              fork.targets()[selected[i]],
              token.context,
              token.stamps,
              Lineage.of(origin, i));
      state.wake(child);
    }
    machine.trace(
        state, TraceEvent.Kind.FORKED, "PAR-FORK", token, "", selected.length + " threads");
  }

  /// The branches whose guards are true, or the else branch.
  private int[] select(Pool.Fork fork, Context context) {
    @Nullable Guard[] guards = fork.guards();
    int[] selected = new int[guards.length];
    int count = 0;
    for (int i = 0; i < guards.length; i++) {
      Guard guard = guards[i];
      if (i != fork.otherwise() && (guard == null || machine.holds(guard, context))) {
        selected[count++] = i;
      }
    }
    if (count == 0) {
      if (fork.otherwise() < 0) {
        throw new ReductionException(Failure.NO_BRANCH, "no guard is true and there is no else");
      }
      selected[count++] = fork.otherwise();
    }
    return count == selected.length ? selected : Arrays.copyOf(selected, count);
  }

  /// The main token of a branch has reached its end.
  void deliver(ExecState state, Token token) {
    Frame branch = token.frame;
    Frame block = branch.outer();
    JoinCounter join = join(block);
    machine.remove(state, token);
    Invariant.check(!branch.delivered, "I3 a branch delivers once", branch.id);
    branch.setDelivered(true);
    if (!join.isDecided()) {
      join.deliver(block, branch.spec, token.context, token.stamps);
      check(state, block);
    }
    machine.cancellation.closeIfEmpty(state, branch);
  }

  /// A branch has ended without delivering.
  void died(ExecState state, Frame block) {
    JoinCounter join = join(block);
    join.setDead(join.dead + 1);
    check(state, block);
  }

  private void check(ExecState state, Frame block) {
    JoinCounter join = join(block);
    if (join.isDecided()) {
      return;
    }
    JoinPolicy policy = policy(block);
    switch (join.verdict(policy)) {
      case FIRE -> fire(state, block, policy);
      case ABORT -> abort(state, block, policy);
      case WAIT -> {}
    }
  }

  private void fire(ExecState state, Frame block, JoinPolicy policy) {
    JoinCounter join = join(block);
    Invariant.check(!join.fired && !join.aborted, "I4 a block fires at most once", block.id);
    join.setFired(true);
    Pool.Fork fork = machine.pools.forks()[block.spec];
    Merging.Stamped merged = new Merging.Stamped(block.entry, block.entryStamps);
    if (join.gotCount > 0) {
      try {
        merged = merge(policy, merged, block, state.steps);
      } catch (ReductionException trouble) {
        raise(state, block, trouble);
        return;
      }
    }
    block.setDelivered(true);
    Token token =
        machine.exitToken(
            state, block, fork.continuation(), merged.context(), merged.stamps(), Lineage.JOIN);
    machine.trace(state, TraceEvent.Kind.JOINED, "JOIN-FIRE", token, "", "");
    if (policy.rest() == JoinPolicy.Rest.CANCEL) {
      withdrawRest(state, block);
    }
    machine.cancellation.closeIfEmpty(state, block);
  }

  private Merging.Stamped merge(JoinPolicy policy, Merging.Stamped base, Frame block, long step) {
    Merging.Stamped[] merged = {base};
    Merging merging = new Merging(machine.writes, block, step);
    machine.fitting(
        "after a join ",
        () -> {
          merged[0] = merging.merge(policy.merge(), base);
          return merged[0].context();
        });
    return merged[0];
  }

  private void raise(ExecState state, Frame block, ReductionException trouble) {
    int exit = machine.program.pools().forks()[block.spec].continuation();
    String place = machine.program.source().at(exit).toString();
    Failure failure = new Failure("", trouble.reason, trouble.detail, 1, place);
    if (!machine.cancellation.raise(state, block.outer(), failure)) {
      machine.cancellation.end(state, block, Undoing.Ending.of(Undoing.Ending.Kind.WITHDRAW));
    }
  }

  private void abort(ExecState state, Frame block, JoinPolicy policy) {
    join(block).setAborted(true);
    String detail = shortage(block).detail();
    machine.trace(state, TraceEvent.Kind.ABANDONED, "JOIN-ABORT", null, "", detail);
    if (policy.rest() == JoinPolicy.Rest.CANCEL) {
      withdrawRest(state, block);
    }
    machine.cancellation.closeIfEmpty(state, block);
  }

  /// Why a block without a result was given up: how many branches it needs, and how many are left.
  Failure shortage(Frame block) {
    JoinCounter join = join(block);
    int exit = machine.program.pools().forks()[block.spec].continuation();
    String place = machine.program.source().at(exit).toString();
    int left = join.selected.length - join.dead;
    return CancelCause.unfulfillable(place, join.needed(policy(block)), left);
  }

  private void withdrawRest(ExecState state, Frame block) {
    List<Frame> rest =
        block.childList().stream().filter(branch -> !branch.delivered && !branch.closed).toList();
    machine.cancellation.withdrawAll(state, List.of(), rest);
  }

  private JoinPolicy policy(Frame block) {
    return java.util.Objects.requireNonNull(machine.pools.forks()[block.spec].policy());
  }

  private static JoinCounter join(Frame block) {
    return java.util.Objects.requireNonNull(block.join);
  }
}
