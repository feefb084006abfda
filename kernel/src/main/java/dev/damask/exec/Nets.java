package dev.damask.exec;

import dev.damask.event.TraceEvent;
import dev.damask.exec.Merging.Stamped;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Pool.JoinKind;
import dev.damask.state.Frame;
import dev.damask.state.NetClosure;
import dev.damask.state.NetState;
import dev.damask.state.Token;
import dev.damask.state.Token.Lineage;
import dev.damask.state.Undoing;
import dev.damask.term.Mode;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/// Graphs: tokens moving along arcs, and the joins at their nodes.
final class Nets {
  private final Machine machine;

  Nets(Machine machine) {
    this.machine = machine;
  }

  /// Opens the frame of a net around the token.
  void enter(ExecState state, Token token, int index) {
    Pool.Net net = machine.pools.nets()[index];
    Frame frame = machine.openAround(state, Frame.Kind.NET, token, index);
    frame.setLoops(token.loops);
    token.setLoops(null);
    frame.setNet(new NetState(net));
    if (net.hasWaitingJoins()) {
      state.nets().put(frame.id, frame);
    }
    token.setIp(token.ip + Code.length(Code.NET_ENTER));
  }

  /// Moves a token along an arc: into the body of a node, or onto the queue of its join.
  void arrive(ExecState state, Token token, int index) {
    Frame frame = token.frame;
    Pool.Net net = net(frame);
    Pool.Arc arc = net.arcs()[index];
    Pool.Node node = net.nodes()[arc.target()];
    token.setLoops(null);
    if (node.kind() == JoinKind.MERGE) {
      token.setNode(arc.target());
      token.setIp(node.body());
      return;
    }
    token.setNode(-1);
    token.setState(Token.State.QUEUED);
    token.setArc(index);
    state(frame).arcs(arc.target()).enqueue(arc.position(), token);
    attempt(state, frame, arc.target());
    // A token that a blocking join has seen is gone; it may have been the last one.
    machine.cancellation.closeIfEmpty(state, frame);
  }

  /// Fires a join as far as its tokens allow without looking at what can still come.
  private void attempt(ExecState state, Frame frame, int index) {
    Pool.Node node = net(frame).nodes()[index];
    NetState.Arcs arcs = state(frame).arcs(index);
    switch (node.kind()) {
      case AND -> {
        while (isSatisfied(node, arcs)) {
          List<Stamped> parts = new ArrayList<>();
          for (int arc = 0; arc < node.arcs(); arc++) {
            for (int i = 0; i < node.weights()[arc]; i++) {
              parts.add(consume(state, arcs.queues[arc]));
            }
          }
          fire(state, frame, index, parts);
        }
      }
      case OR -> {
        while (isSatisfied(node, arcs)) {
          fireOr(state, frame, index);
        }
      }
      case BLOCKING -> admit(state, frame, index);
      case CANCELLING -> {
        if (count(arcs) >= node.k()) {
          fireCancelling(state, frame, index);
        }
      }
      case MERGE -> {}
    }
  }

  private static boolean isSatisfied(Pool.Node node, NetState.Arcs arcs) {
    for (int arc = 0; arc < node.arcs(); arc++) {
      if (arcs.queues[arc].size() < node.weights()[arc]) {
        return false;
      }
    }
    return true;
  }

  private static int count(NetState.Arcs arcs) {
    int count = 0;
    for (Deque<Token> queue : arcs.queues) {
      count += queue.isEmpty() ? 0 : 1;
    }
    return count;
  }

  /// Takes the oldest token of a queue out of the case.
  private Stamped consume(ExecState state, Deque<Token> queue) {
    Token token = queue.remove();
    machine.remove(state, token);
    return new Stamped(token.context, token.stamps);
  }

  private void fireOr(ExecState state, Frame frame, int index) {
    List<Stamped> parts = new ArrayList<>();
    for (Deque<Token> queue : state(frame).arcs(index).queues) {
      if (!queue.isEmpty()) {
        parts.add(consume(state, queue));
      }
    }
    fire(state, frame, index, parts);
  }

  /// Moves queued tokens of unseen arcs into the round of a blocking join.
  private void admit(ExecState state, Frame frame, int index) {
    Pool.Node node = net(frame).nodes()[index];
    NetState.Arcs arcs = state(frame).arcs(index);
    boolean again = true;
    while (again) {
      again = false;
      for (int arc = 0; arc < node.arcs(); arc++) {
        if (arcs.seen[arc] == null && !arcs.queues[arc].isEmpty()) {
          Stamped part = consume(state, arcs.queues[arc]);
          arcs.setSeen(arc, part.context(), part.stamps());
          if (!arcs.fired && arcs.seenCount() == node.k()) {
            arcs.setFired(true);
            fire(state, frame, index, seen(arcs));
          }
        }
      }
      if (arcs.seenCount() == node.arcs()) {
        resetRound(state, frame, index);
        again = true;
      }
    }
  }

  private static List<Stamped> seen(NetState.Arcs arcs) {
    List<Stamped> parts = new ArrayList<>();
    for (int arc = 0; arc < arcs.seen.length; arc++) {
      Context context = arcs.seen[arc];
      if (context != null) {
        Context stamps = arcs.seenStamps[arc];
        parts.add(new Stamped(context, stamps == null ? Context.empty() : stamps));
      }
    }
    return parts;
  }

  /// A blocking join begins a new round.
  private void resetRound(ExecState state, Frame frame, int index) {
    reset(state(frame).arcs(index));
    String id = net(frame).nodes()[index].id();
    machine.trace(state, TraceEvent.Kind.RESET, "JOIN-RESET", null, id, "");
  }

  private static void reset(NetState.Arcs arcs) {
    for (int arc = 0; arc < arcs.seen.length; arc++) {
      arcs.setSeen(arc, null, null);
    }
    arcs.setFired(false);
  }

  private void fireCancelling(ExecState state, Frame frame, int index) {
    Pool.Node node = net(frame).nodes()[index];
    NetState.Arcs arcs = state(frame).arcs(index);
    List<Stamped> parts = new ArrayList<>();
    for (Deque<Token> queue : arcs.queues) {
      if (!queue.isEmpty()) {
        parts.add(consume(state, queue));
      }
    }
    // The new token is in no node yet, so the region it clears does not include itself.
    Token token = fire(state, frame, index, parts);
    token.setNode(-1);
    drop(state, arcs);
    withdrawNodes(state, frame, node.cancels());
    token.setNode(index);
  }

  /// Withdraws everything in the given nodes and in the queues of their joins.
  private void withdrawNodes(ExecState state, Frame frame, int[] cancelled) {
    BitSet region = new BitSet();
    for (int node : cancelled) {
      region.set(node);
      NetState.Arcs arcs = state(frame).joins[node];
      if (arcs != null) {
        drop(state, arcs);
        reset(arcs);
      }
    }
    List<Token> tokens = new ArrayList<>();
    for (Token token = frame.firstToken; token != null; token = token.next) {
      int at = token.node >= 0 ? token.node : destination(frame, token);
      if (at >= 0 && region.get(at)) {
        tokens.add(token);
      }
    }
    List<Frame> frames =
        frame.childList().stream()
            .filter(child -> child.node >= 0 && region.get(child.node) && !child.closed)
            .toList();
    machine.cancellation.withdrawAll(state, tokens, frames);
  }

  /// The node a split has sent a token to that has not moved yet; -1 when it has sent it nowhere.
  private int destination(Frame frame, Token token) {
    int[] code = machine.program.raw().code();
    boolean underWay = token.state == Token.State.READY && code[token.ip] == Code.ARRIVE;
    return underWay && frame.undoing == null ? net(frame).arcs()[code[token.ip + 2]].target() : -1;
  }

  private void drop(ExecState state, NetState.Arcs arcs) {
    for (Deque<Token> queue : arcs.queues) {
      while (!queue.isEmpty()) {
        consume(state, queue);
      }
    }
  }

  /// Runs the body of a node with the fused contexts, as a new token.
  private Token fire(ExecState state, Frame frame, int index, List<Stamped> parts) {
    Pool.Net net = net(frame);
    NetState.Arcs arcs = state(frame).arcs(index);
    Stamped fused = Merging.fuse(net.merge(), parts);
    long lineage = Lineage.of(Lineage.of(frame.lineage, index), arcs.fire());
    Token token =
        machine.newToken(
            state, frame, net.nodes()[index].body(), fused.context(), fused.stamps(), lineage);
    token.setNode(index);
    state.wake(token);
    machine.trace(state, TraceEvent.Kind.JOINED, "JOIN-FIRE", token, net.nodes()[index].id(), "");
    return token;
  }

  /// A token has reached the end of the graph.
  void end(ExecState state, Token token) {
    Frame frame = token.frame;
    Pool.Net net = net(frame);
    machine.remove(state, token);
    if (net.mode() == Mode.EXPLICIT) {
      machine.cancellation.end(state, frame, Undoing.Ending.deliver(token.context, token.stamps));
      return;
    }
    NetState arrived = state(frame);
    Stamped latest = new Stamped(token.context, token.stamps);
    arrived.setEnded(arrived.ended + 1);
    if (arrived.ended > 1) {
      Stamped before = new Stamped(arrived.result, arrived.resultStamps);
      latest = Merging.fuse(net.merge(), List.of(before, latest));
    }
    arrived.setResult(latest.context());
    arrived.setResultStamps(latest.stamps());
    machine.cancellation.closeIfEmpty(state, frame);
  }

  /// An implicit graph in which nothing is left delivers what has reached its end.
  void deliverIfEnded(ExecState state, Frame frame) {
    NetState arrived = state(frame);
    if (!frame.delivered && arrived.ended > 0) {
      frame.setDelivered(true);
      machine.exitToken(
          state,
          frame,
          net(frame).continuation(),
          arrived.result,
          arrived.resultStamps,
          Lineage.END);
    }
  }

  /// Decides joins that had to know what can still come; returns whether anything changed.
  boolean settle(ExecState state) {
    state.settlings++;
    for (Frame frame : List.copyOf(state.nets().values())) {
      if (isConcerned(frame)
          && (settleOr(state, frame)
              || settleBlocking(state, frame)
              || settleShort(state, frame))) {
        return true;
      }
    }
    return false;
  }

  /// Whether a join of the net holds anything to decide about.
  private boolean isConcerned(Frame frame) {
    Pool.Net net = net(frame);
    for (int node = 0; node < net.nodes().length; node++) {
      NetState.Arcs arcs = state(frame).joins[node];
      if (arcs != null && (arcs.isMarked() || arcs.seenCount() > 0)) {
        JoinKind kind = net.nodes()[node].kind();
        if (kind == JoinKind.OR || kind == JoinKind.BLOCKING || net.nodes()[node].abort()) {
          return true;
        }
      }
    }
    return false;
  }

  /// What can arrive while a join does not fire.
  private NetClosure without(ExecState state, Frame frame, int node) {
    BitSet blocked = new BitSet();
    blocked.set(node);
    return Arrivals.closure(machine, state, frame, blocked);
  }

  private boolean settleOr(ExecState state, Frame frame) {
    Pool.Net net = net(frame);
    BitSet waiting = new BitSet();
    for (int node = 0; node < net.nodes().length; node++) {
      NetState.Arcs arcs = state(frame).joins[node];
      if (net.nodes()[node].kind() == JoinKind.OR && arcs != null && arcs.isMarked()) {
        if (!without(state, frame, node).canReceive(node)
            && machine.allows(state, Decision.Kind.OR_JOIN, frame, node, 0)) {
          fireOr(state, frame, node);
          return true;
        }
        waiting.set(node);
      }
    }
    int circular = viciousCircle(state, frame, waiting);
    if (circular >= 0 && machine.allows(state, Decision.Kind.CIRCLE, frame, circular, 0)) {
      fireOr(state, frame, circular);
      return true;
    }
    return false;
  }

  /// The first, in node order, of the OR-joins that wait for nothing but each other; -1 if none.
  private int viciousCircle(ExecState state, Frame frame, BitSet waiting) {
    BitSet blocked = (BitSet) waiting.clone();
    boolean shrinks = waiting.cardinality() > 1;
    while (shrinks) {
      NetClosure closure = Arrivals.closure(machine, state, frame, blocked);
      shrinks = false;
      BitSet before = (BitSet) blocked.clone();
      for (int node = before.nextSetBit(0); node >= 0; node = before.nextSetBit(node + 1)) {
        if (closure.canReceive(node)) {
          blocked.clear(node);
          shrinks = true;
        }
      }
    }
    return waiting.cardinality() > 1 ? blocked.nextSetBit(0) : -1;
  }

  private boolean settleBlocking(ExecState state, Frame frame) {
    Pool.Net net = net(frame);
    for (int node = 0; node < net.nodes().length; node++) {
      NetState.Arcs arcs = state(frame).joins[node];
      if (net.nodes()[node].kind() == JoinKind.BLOCKING && arcs != null && arcs.fired) {
        if (!without(state, frame, node).canReceive(node)
            && machine.allows(state, Decision.Kind.RESET, frame, node, 0)) {
          resetRound(state, frame, node);
          if (arcs.isMarked()) {
            admit(state, frame, node);
            return true;
          }
        }
      }
    }
    return false;
  }

  private boolean settleShort(ExecState state, Frame frame) {
    Pool.Net net = net(frame);
    for (int index = 0; index < net.nodes().length; index++) {
      Pool.Node node = net.nodes()[index];
      NetState.Arcs arcs = state(frame).joins[index];
      if (arcs == null || !node.abort() || arcs.fired) {
        continue;
      }
      boolean holds = arcs.isMarked() || arcs.seenCount() > 0;
      int left = holds ? without(state, frame, index).possible(index) : node.k();
      if (left < node.k() && machine.allows(state, Decision.Kind.ABORT, frame, index, 0)) {
        String place = place(frame, index) + ", node " + node.id();
        drop(state, arcs);
        reset(arcs);
        machine.trace(
            state, TraceEvent.Kind.ABANDONED, "JOIN-ABORT", null, node.id(), "unfulfillable");
        CancelCause.note(state, CancelCause.unfulfillable(place, node.k(), left));
        machine.cancellation.closeIfEmpty(state, frame);
        CancelCause.settled(state);
        return true;
      }
    }
    return false;
  }

  private String place(Frame frame, int node) {
    int body = machine.program.pools().nets()[frame.spec].nodes()[node].body();
    return machine.program.source().at(body).toString();
  }

  private Pool.Net net(Frame frame) {
    return machine.pools.nets()[frame.spec];
  }

  private static NetState state(Frame frame) {
    return java.util.Objects.requireNonNull(frame.net);
  }
}
