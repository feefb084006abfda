package dev.damask.state;

import dev.damask.program.Pool;
import java.util.BitSet;
import java.util.function.IntConsumer;

/// Which arcs of one net might still receive a token, given the nodes that are being executed.
///
/// The least fixed point of Horn rules, with one counter per join: a node is possible when enough
/// of its arcs hold a token or can be reached, and then every arc that leaves it can be reached.
/// Facts may be added at any time; all of them together cost one visit per node and arc.
public final class NetClosure {
  private final Pool.Net net;
  private final NetState now;
  private final BitSet blocked;
  private final IntConsumer listener;
  private final BitSet reach = new BitSet();
  private final BitSet left = new BitSet();
  private final int[] satisfied;
  private final int[] open;
  private int waiting;
  private int visited;

  /// @param blocked the joins that are assumed not to fire
  /// @param listener receives every node that is possible, once
  public NetClosure(Pool.Net net, NetState now, BitSet blocked, IntConsumer listener) {
    this.net = net;
    this.now = now;
    this.blocked = blocked;
    this.listener = listener;
    this.satisfied = new int[net.nodes().length];
    this.open = new int[net.arcs().length];
    for (int node = 0; node < satisfied.length; node++) {
      satisfied[node] = satisfiedNow(node);
      visited += 1 + net.nodes()[node].arcs();
    }
  }

  /// Finds what the tokens on the arcs make possible by themselves.
  public void begin() {
    for (int node = 0; node < satisfied.length; node++) {
      consider(node);
    }
    run();
  }

  /// A token that can complete the body of a node is in it.
  public void execute(int node) {
    if (!left.get(node)) {
      leave(node);
      run();
    }
  }

  /// How many nodes and arcs were visited so far.
  public int visited() {
    return visited;
  }

  private void run() {
    while (waiting > 0) {
      Pool.Arc arc = net.arcs()[open[--waiting]];
      visited++;
      if (arc.position() < 0 || !isSatisfied(arc.target(), arc.position())) {
        satisfied[arc.target()]++;
      }
      consider(arc.target());
    }
  }

  private void leave(int node) {
    left.set(node);
    for (int arc : net.nodes()[node].outgoing()) {
      if (!reach.get(arc)) {
        reach.set(arc);
        open[waiting++] = arc;
      }
    }
  }

  private final BitSet possible = new BitSet();

  private void consider(int node) {
    if (!blocked.get(node) && !possible.get(node) && satisfied[node] >= needed(node)) {
      possible.set(node);
      listener.accept(node);
      if (!left.get(node)) {
        leave(node);
      }
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
  public boolean canReceive(int node) {
    NetState.Arcs arcs = now.arcs(node);
    for (int index = reach.nextSetBit(0); index >= 0; index = reach.nextSetBit(index + 1)) {
      Pool.Arc arc = net.arcs()[index];
      if (arc.target() == node
          && arc.position() >= 0
          && arcs.queues[arc.position()].isEmpty()
          && arcs.seen[arc.position()] == null) {
        return true;
      }
    }
    return false;
  }

  /// How many arcs of a join are satisfied or can still be.
  public int possible(int node) {
    BitSet arcs = new BitSet();
    for (int arc = 0; arc < net.nodes()[node].arcs(); arc++) {
      if (isSatisfied(node, arc)) {
        arcs.set(arc);
      }
    }
    for (int index = reach.nextSetBit(0); index >= 0; index = reach.nextSetBit(index + 1)) {
      if (net.arcs()[index].target() == node && net.arcs()[index].position() >= 0) {
        arcs.set(net.arcs()[index].position());
      }
    }
    return arcs.cardinality();
  }
}
