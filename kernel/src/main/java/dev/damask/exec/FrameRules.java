package dev.damask.exec;

import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.GroupState;
import dev.damask.state.InstanceSet;
import dev.damask.state.JoinCounter;
import dev.damask.state.NetState;
import dev.damask.state.Undoing;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Mode;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// What follows for an open frame from what its parts can do, kind by kind.
final class FrameRules {
  private final Prospects facts;
  private final Program.Pools pools;
  private final BitSet undone = new BitSet();

  FrameRules(Prospects facts, Program.Pools pools) {
    this.facts = facts;
    this.pools = pools;
  }

  /// What follows for a frame from what its parts can do.
  void conclude(Frame frame) {
    int at = frame.order;
    if (frame.undoing != null) {
      if (facts.able[at] > 0 && !undone.get(at)) {
        undone.set(at);
        facts.undo(frame);
        finish(frame, frame.undoing.ending);
      }
      return;
    }
    if (frame.delivered) {
      return;
    }
    boolean empties = facts.dying[at] == facts.parts[at];
    switch (frame.kind) {
      case CASE -> {}
      case REGION, CALL, BRANCH, INSTANCE -> {
        if (facts.able[at] > 0) {
          facts.leave(frame, exit(frame));
        }
        if (empties) {
          facts.die(frame);
        }
      }
      case BLOCK -> block(frame);
      case SET -> set(frame);
      case NET -> net(frame, empties);
      case GROUP -> {
        if (facts.able[at] > 0 && GroupState.group(frame).join < 0) {
          facts.leave(frame, exit(frame));
        }
      }
    }
  }

  private void finish(Frame frame, Undoing.Ending ending) {
    Pool.@Nullable Region region =
        frame.kind == Frame.Kind.REGION ? pools.regions()[frame.spec] : null;
    switch (ending.kind()) {
      case WITHDRAW -> facts.die(frame);
      case COMPLETE, DELIVER -> facts.leave(frame, exit(frame));
      case HANDLE -> facts.leave(frame, region == null ? -1 : region.handler());
      case TIMEOUT -> {
        if (region != null && Math.max(region.onTimeout(), region.handler()) >= 0) {
          facts.leave(frame, region.onTimeout() >= 0 ? region.onTimeout() : region.handler());
        }
      }
      case FAIL -> {}
    }
  }

  /// Whether a join that cancels the rest would cancel what is decided.
  private boolean takesDecided(Frame frame, JoinPolicy.Rest rest) {
    return rest == JoinPolicy.Rest.CANCEL
        && facts.isAround(frame)
        && !facts.drains.get(frame.order);
  }

  private void block(Frame frame) {
    int at = frame.order;
    JoinCounter join = java.util.Objects.requireNonNull(frame.join);
    JoinPolicy policy = java.util.Objects.requireNonNull(pools.forks()[frame.spec].policy());
    boolean all = facts.settled[at] == facts.parts[at];
    if (join.isDecided()) {
      if (all) {
        facts.die(frame);
      }
      return;
    }
    boolean shrinks = policy.shortage() == JoinPolicy.Shortage.SHRINK;
    int need = policy.need() instanceof JoinPolicy.Need.Count(int k) ? k : join.selected.length;
    int got = join.gotCount + facts.able[at];
    boolean fires = got >= 1 && (got >= need || (shrinks && all));
    boolean aborts =
        shrinks
            ? join.gotCount == 0 && facts.dying[at] == facts.parts[at]
            : join.selected.length - join.dead - facts.dying[at] < need;
    boolean cancels = policy.rest() == JoinPolicy.Rest.CANCEL;
    if (takesDecided(frame, policy.rest())) {
      return;
    }
    if (fires) {
      facts.leave(frame, exit(frame));
    }
    if (aborts && (cancels || all)) {
      facts.die(frame);
    }
    if (cancels && (fires || aborts)) {
      endRest(frame);
    }
  }

  private void endRest(Frame frame) {
    for (Frame part = frame.firstChild; part != null; part = part.next) {
      if (!part.delivered && !facts.isAround(part)) {
        facts.end(part);
      }
    }
  }

  private void set(Frame frame) {
    int at = frame.order;
    InstanceSet set = java.util.Objects.requireNonNull(frame.set);
    InstancePolicy policy = pools.instances()[frame.spec].policy();
    boolean more = facts.grows.get(at);
    int got = set.got.size() + facts.able[at];
    boolean enough =
        switch (policy.need()) {
          case InstancePolicy.Need.All() -> false;
          case InstancePolicy.Need.Count(var count) -> more || got >= set.need;
          case InstancePolicy.Need.When(var condition) -> more || facts.able[at] > 0;
        };
    boolean all = facts.settled[at] == facts.parts[at];
    boolean fires = (got >= 1 || more || set.made == 0) && (enough || all);
    if (takesDecided(frame, policy.rest())) {
      return;
    }
    if (fires) {
      facts.leave(frame, exit(frame));
      if (policy.rest() == JoinPolicy.Rest.CANCEL) {
        endRest(frame);
      }
    }
    if (facts.dying[at] == facts.parts[at] && set.got.isEmpty()) {
      facts.die(frame);
    }
  }

  private void net(Frame frame, boolean empties) {
    int at = frame.order;
    NetState net = java.util.Objects.requireNonNull(frame.net);
    if (pools.nets()[frame.spec].mode() == Mode.EXPLICIT) {
      if (facts.able[at] > 0 && !facts.isAround(frame)) {
        facts.leave(frame, exit(frame));
        facts.end(frame);
      }
    } else if (facts.settled[at] == facts.parts[at] && (net.ended > 0 || facts.able[at] > 0)) {
      facts.leave(frame, exit(frame));
    }
    if (empties && net.ended == 0) {
      facts.die(frame);
    }
  }

  /// Where a token that leaves a frame through its exit comes to; -1 when it is only counted.
  int exit(Frame frame) {
    return switch (frame.kind) {
      case REGION -> pools.regions()[frame.spec].continuation();
      case SET -> pools.instances()[frame.spec].continuation();
      case NET -> pools.nets()[frame.spec].continuation();
      case BLOCK -> pools.forks()[frame.spec].continuation();
      case CALL -> frame.returnAddress;
      case GROUP -> pools.processes()[frame.spec].continuation();
      case CASE, BRANCH, INSTANCE -> -1;
    };
  }
}
