package dev.damask.exec;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Reach;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Mode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// The possible-arrival analysis: which arcs and places might still receive a token, given the
/// tokens there are now.
///
/// ## What it decides
///
/// OR-joins, the reset of blocking joins, unfulfillable joins, expired waits, and the words of a
/// deadlock report. It is asked only when no token can move.
///
/// ## How
///
/// Two least fixed points. Over the program: a place is *markable* when an `emit` of it can be
/// reached from some token that can pass; a token in an await can pass when one of its alternatives
/// has only places that are marked, markable or external, or when a timer or `expired` is among
/// them. Over the arcs of a net: the [Closure], Horn rules computed with one counter per join, so
/// linear in nodes and arcs.
///
/// ## How exact
///
/// Consumption of tokens and values of guards are ignored, so it errs only by saying "possible". An
/// OR-join therefore never fires early, and rarely late; every change leads to a new evaluation.
final class Arrivals {
  private final Machine machine;
  private final ExecState state;
  private final Pool.PlaceSlot[] slots;
  private final int[] code;
  private final @Nullable Token excluded;
  private final BitSet markable = new BitSet();

  /// Analyses a state; what the excluded token could do does not count.
  Arrivals(Machine machine, ExecState state, @Nullable Token excluded) {
    this.machine = machine;
    this.state = state;
    this.excluded = excluded;
    this.slots = machine.pools.places();
    this.code = machine.program.raw().code();
    if (state.awaits != null && !state.awaits.isEmpty()) {
      markPlaces();
    }
  }

  /// Whether all these places could hold a token for a waiting token.
  boolean canEnable(Token token, int[] places) {
    for (int place : places) {
      boolean possible =
          slots[place].place().external()
              || markable.get(place)
              || !machine.places.at(state, token.frame, place).tokens.isEmpty();
      if (!possible) {
        return false;
      }
    }
    return true;
  }

  /// Whether a token can move on at all.
  boolean passes(Token token) {
    if (token == excluded) {
      return false;
    }
    Wait wait = token.wait;
    if (token.state != Token.State.AWAIT || wait == null) {
      return true;
    }
    if (wait.holds) {
      return canEnable(token, machine.pools.regions()[token.frame.spec].holds());
    }
    for (Pool.Alternative alternative : machine.pools.awaits()[code[token.ip + 1]].alternatives()) {
      boolean timed =
          alternative.kind() == Pool.AlternativeKind.AFTER
              || alternative.kind() == Pool.AlternativeKind.EXPIRED;
      if (timed || canEnable(token, alternative.places())) {
        return true;
      }
    }
    return false;
  }

  /// Computes which places can still be marked: grows the set until nothing is added.
  private void markPlaces() {
    List<Frame> frames = frames();
    int before;
    do {
      before = markable.cardinality();
      BitSet live = liveFrames(frames);
      Deque<Integer> open = new ArrayDeque<>();
      BitSet seen = new BitSet(code.length);
      for (Frame frame : frames) {
        for (Token token = frame.firstToken; token != null; token = token.next) {
          startFrom(token, seen, open);
        }
        if (live.get(frame.id)) {
          continueBehind(frame, seen, open);
        }
        markHeld(frame);
      }
      follow(seen, open);
    } while (markable.cardinality() > before);
  }

  private List<Frame> frames() {
    List<Frame> frames = new ArrayList<>();
    frames.add(state.root);
    for (int i = 0; i < frames.size(); i++) {
      frames.addAll(frames.get(i).childList());
    }
    return frames;
  }

  private void startFrom(Token token, BitSet seen, Deque<Integer> open) {
    if (!passes(token)) {
      return;
    }
    if (token.state == Token.State.QUEUED) {
      Pool.Net net = machine.program.pools().nets()[token.frame.spec];
      reach(net.nodes()[net.arcs()[token.arc].target()].body(), seen, open);
    } else {
      reach(token.ip, seen, open);
    }
  }

  /// What follows a frame that can still deliver, or be left through a handler.
  private void continueBehind(Frame frame, BitSet seen, Deque<Integer> open) {
    var pools = machine.program.pools();
    switch (frame.kind) {
      case REGION -> {
        Pool.Region region = pools.regions()[frame.spec];
        reach(region.continuation(), seen, open);
        if (region.handler() >= 0) {
          reach(region.handler(), seen, open);
        }
        if (region.onTimeout() >= 0) {
          reach(region.onTimeout(), seen, open);
        }
      }
      case CALL -> reach(frame.returnAddress, seen, open);
      case BLOCK -> reach(pools.forks()[frame.spec].continuation(), seen, open);
      case SET -> {
        Pool.Instances spec = pools.instances()[frame.spec];
        reach(spec.continuation(), seen, open);
        reach(spec.body(), seen, open);
      }
      case NET -> reach(pools.nets()[frame.spec].continuation(), seen, open);
      case GROUP -> {
        if (Groups.group(frame).join < 0) {
          reach(pools.processes()[frame.spec].continuation(), seen, open);
        }
      }
      case CASE, BRANCH, INSTANCE -> {}
    }
  }

  /// A held place is marked again when the frame that holds it closes.
  private void markHeld(Frame frame) {
    if (frame.scope != null && !frame.scope.held.isEmpty()) {
      for (int place : machine.pools.regions()[frame.spec].holds()) {
        markable.set(place);
      }
    }
  }

  private static void reach(int address, BitSet seen, Deque<Integer> open) {
    if (!seen.get(address)) {
      seen.set(address);
      open.push(address);
    }
  }

  /// Follows the flow graph of the raw code; an await lets through only what can be enabled.
  private void follow(BitSet seen, Deque<Integer> open) {
    var pools = machine.program.pools();
    List<Integer> blocked = new ArrayList<>();
    while (!open.isEmpty()) {
      int at = open.pop();
      state.analysed++;
      if (code[at] == Code.AWAIT) {
        for (Pool.Alternative alternative : pools.awaits()[code[at + 1]].alternatives()) {
          if (couldEnable(alternative)) {
            reach(alternative.target(), seen, open);
          } else {
            blocked.add(at);
          }
        }
        continue;
      }
      if (code[at] == Code.EMIT) {
        Pool.Emission emission = pools.emissions()[code[at + 1]];
        if (emission.kind() == Pool.EmissionKind.PLACE && !markable.get(emission.target())) {
          markable.set(emission.target());
          open.addAll(blocked);
          blocked.clear();
        }
      }
      if (code[at] == Code.CANCEL_SCOPE && code[at + 1] == Code.ENTER) {
        for (int place : pools.regions()[code[at + 2]].holds()) {
          markable.set(place);
        }
      }
      Reach.successors(code, at, pools, next -> reach(next, seen, open));
    }
  }

  /// Whether an alternative somebody may come to later could be enabled then.
  private boolean couldEnable(Pool.Alternative alternative) {
    if (alternative.kind() == Pool.AlternativeKind.AFTER
        || alternative.kind() == Pool.AlternativeKind.EXPIRED) {
      return true;
    }
    for (int place : alternative.places()) {
      PlaceState now = java.util.Objects.requireNonNull(state.places)[place];
      boolean local = slots[place].definition() >= 0;
      if (!local
          && !slots[place].place().external()
          && !markable.get(place)
          && now.tokens.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /// The open frames that can still deliver. Children come after their parents in the list.
  private BitSet liveFrames(List<Frame> frames) {
    BitSet live = new BitSet();
    for (int i = frames.size() - 1; i >= 0; i--) {
      Frame frame = frames.get(i);
      if (!frame.delivered && canDeliver(frame, live)) {
        live.set(frame.id);
      }
    }
    return live;
  }

  private boolean canDeliver(Frame frame, BitSet live) {
    int able = 0;
    int stuck = 0;
    for (Token token = frame.firstToken; token != null; token = token.next) {
      if (passes(token)) {
        able++;
      } else {
        stuck++;
      }
    }
    for (Frame child = frame.firstChild; child != null; child = child.next) {
      if (live.get(child.id)) {
        able++;
      } else if (!child.delivered) {
        stuck++;
      }
    }
    if (frame.kind == Frame.Kind.BLOCK && frame.join != null) {
      JoinPolicy policy =
          java.util.Objects.requireNonNull(machine.pools.forks()[frame.spec].policy());
      int need =
          policy.need() instanceof JoinPolicy.Need.Count(int k) ? k : frame.join.selected.length;
      if (policy.shortage() == JoinPolicy.Shortage.SHRINK) {
        need = Math.min(need, frame.join.selected.length - frame.join.dead);
      }
      return !frame.join.isDecided() && frame.join.gotCount + able >= need;
    }
    if (frame.kind == Frame.Kind.NET && machine.pools.nets()[frame.spec].mode() == Mode.IMPLICIT) {
      return stuck == 0;
    }
    return able > 0 || canTimeOut(frame);
  }

  /// The closure of one net from where its tokens are now.
  Closure closure(Frame frame) {
    BitSet executing = new BitSet();
    for (Token token = frame.firstToken; token != null; token = token.next) {
      if (token.node >= 0 && passes(token)) {
        executing.set(token.node);
      }
    }
    for (Frame child = frame.firstChild; child != null; child = child.next) {
      if (child.node >= 0 && !executing.get(child.node) && anyPasses(child)) {
        executing.set(child.node);
      }
    }
    return new Closure(
        machine.pools.nets()[frame.spec],
        java.util.Objects.requireNonNull(frame.net),
        executing,
        visited -> state.analysed += visited);
  }

  /// Whether the time of a scope can still run out and let something leave it.
  private static boolean canTimeOut(Frame frame) {
    return !frame.delivered && frame.scope != null && frame.scope.due != Timers.NEVER;
  }

  /// Whether some token anywhere in a frame can pass, or a scope in it can time out.
  private boolean anyPasses(Frame root) {
    Deque<Frame> open = new ArrayDeque<>();
    open.push(root);
    while (!open.isEmpty()) {
      Frame frame = open.pop();
      if (canTimeOut(frame)) {
        return true;
      }
      for (Token token = frame.firstToken; token != null; token = token.next) {
        if (passes(token)) {
          return true;
        }
      }
      frame.childList().forEach(open::push);
    }
    return false;
  }

  /// Which arcs of a net might still receive a token.
  static final class Closure {
    private final Pool.Net net;
    private final NetState now;
    private final BitSet executing;
    private final IntConsumer work;

    /// `work` is told how many nodes and arcs each fixed point has looked at.
    Closure(Pool.Net net, NetState now, BitSet executing, IntConsumer work) {
      this.net = net;
      this.now = now;
      this.executing = executing;
      this.work = work;
    }

    /// The arcs that can be reached while one join does not fire.
    BitSet without(int blocked) {
      BitSet nodes = new BitSet();
      nodes.set(blocked);
      return without(nodes);
    }

    /// The arcs that can be reached while some joins do not fire.
    BitSet without(BitSet blocked) {
      BitSet reach = new BitSet();
      BitSet possible = new BitSet();
      Deque<Integer> open = new ArrayDeque<>();
      int[] satisfied = new int[net.nodes().length];
      for (int node = 0; node < satisfied.length; node++) {
        satisfied[node] = satisfiedNow(node);
        if (executing.get(node)) {
          leave(node, reach, open);
        }
        consider(node, satisfied[node], blocked, possible, reach, open);
      }
      while (!open.isEmpty()) {
        Pool.Arc arc = net.arcs()[open.pop()];
        int node = arc.target();
        if (arc.position() < 0) {
          satisfied[node]++;
        } else if (!isSatisfied(node, arc.position())) {
          satisfied[node]++;
        }
        consider(node, satisfied[node], blocked, possible, reach, open);
      }
      work.accept(net.nodes().length + reach.cardinality());
      return reach;
    }

    private void leave(int node, BitSet reach, Deque<Integer> open) {
      for (int arc : net.nodes()[node].outgoing()) {
        if (!reach.get(arc)) {
          reach.set(arc);
          open.push(arc);
        }
      }
    }

    private void consider(
        int node,
        int satisfied,
        BitSet blocked,
        BitSet possible,
        BitSet reach,
        Deque<Integer> open) {
      if (!blocked.get(node) && !possible.get(node) && satisfied >= needed(node)) {
        possible.set(node);
        leave(node, reach, open);
      }
    }

    /// How many satisfied arcs make a node possible.
    private int needed(int node) {
      Pool.Node spec = net.nodes()[node];
      NetState.Arcs arcs = now.joins[node];
      return switch (spec.kind()) {
        case MERGE, OR -> 1;
        case AND -> spec.arcs();
        case BLOCKING -> arcs != null && arcs.fired ? 1 : spec.k();
        case CANCELLING -> spec.k();
      };
    }

    private int satisfiedNow(int node) {
      int count = 0;
      for (int arc = 0; arc < net.nodes()[node].arcs(); arc++) {
        count += isSatisfied(node, arc) ? 1 : 0;
      }
      return count;
    }

    /// Whether an arc already has what its join needs of it.
    private boolean isSatisfied(int node, int arc) {
      NetState.Arcs arcs = now.joins[node];
      if (arcs == null) {
        return false;
      }
      boolean seen = arcs.seen[arc] != null && !arcs.fired;
      return seen || arcs.queues[arc].size() >= net.nodes()[node].weights()[arc];
    }

    /// Whether an arc that holds nothing, and has not been seen this round, can receive a token.
    boolean canReceive(int node, BitSet reach) {
      NetState.Arcs arcs = now.arcs(node);
      for (int index = 0; index < net.arcs().length; index++) {
        Pool.Arc arc = net.arcs()[index];
        if (arc.target() == node
            && reach.get(index)
            && arc.position() >= 0
            && arcs.queues[arc.position()].isEmpty()
            && arcs.seen[arc.position()] == null) {
          return true;
        }
      }
      return false;
    }

    /// How many arcs of a join are satisfied or can still be.
    int possible(int node, BitSet reach) {
      BitSet arcs = new BitSet();
      for (int arc = 0; arc < net.nodes()[node].arcs(); arc++) {
        if (isSatisfied(node, arc)) {
          arcs.set(arc);
        }
      }
      for (int index = 0; index < net.arcs().length; index++) {
        if (net.arcs()[index].target() == node && reach.get(index)) {
          arcs.set(net.arcs()[index].position());
        }
      }
      return arcs.cardinality();
    }

    /// The first, in node order, of the OR-joins that wait for nothing but each other; -1 if none.
    int viciousCircle(BitSet waiting) {
      BitSet active = new BitSet();
      boolean grows = true;
      while (grows) {
        BitSet blocked = (BitSet) waiting.clone();
        blocked.andNot(active);
        BitSet reach = without(blocked);
        grows = false;
        for (int node = blocked.nextSetBit(0); node >= 0; node = blocked.nextSetBit(node + 1)) {
          if (canReceive(node, reach)) {
            active.set(node);
            grows = true;
          }
        }
      }
      BitSet circle = (BitSet) waiting.clone();
      circle.andNot(active);
      return circle.nextSetBit(0);
    }
  }
}
