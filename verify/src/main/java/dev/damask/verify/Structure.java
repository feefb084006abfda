package dev.damask.verify;

import java.util.Arrays;
import java.util.BitSet;

/// What can be said about the bounds of a net from its arcs alone.
final class Structure {
  private Structure() {}

  /// Whether every transition on a cycle gives at most as many tokens as it takes.
  ///
  /// Then the net is bounded: give the places of a component a weight, larger the further upstream
  /// it stands, and large enough that what a transition off the cycles gives never weighs more than
  /// what it takes. No firing raises the total, and every token weighs something.
  static boolean isBounded(PackedNet net) {
    int[] component = components(net);
    for (int t = 0; t < net.transitions; t++) {
      if (net.inputs[t].length == 0) {
        return false;
      }
      if (isOnCycle(net, component, t) && weight(net.outputs[t]) > weight(net.inputs[t])) {
        return false;
      }
    }
    return true;
  }

  private static boolean isOnCycle(PackedNet net, int[] component, int t) {
    for (int i = 0; i < net.outputs[t].length; i += 2) {
      if (component[net.outputs[t][i]] == component[net.places + t]) {
        return true;
      }
    }
    return false;
  }

  private static int weight(int[] arcs) {
    int sum = 0;
    for (int i = 1; i < arcs.length; i += 2) {
      sum += arcs[i];
    }
    return sum;
  }

  /// Whether it is a free-choice workflow net: one marked place without givers, one place without
  /// takers, everything on a way from one to the other, and places that share a taker share all.
  ///
  /// Such a net, if it can always complete, with one token on the last place and nothing else, and
  /// without dead transitions, never holds two tokens on a place (van der Aalst; Desel and
  /// Esparza).
  static boolean isFreeChoiceWorkflow(PackedNet net) {
    int source = -1;
    int sink = -1;
    for (int place = 0; place < net.places; place++) {
      boolean first = net.givers[place].length == 0;
      boolean last = net.takers[place].length == 0;
      int tokens = net.tokens(net.initial, 0, place);
      if ((first && source >= 0) || (last && sink >= 0) || tokens != (first ? 1 : 0)) {
        return false;
      }
      source = first ? place : source;
      sink = last ? place : sink;
    }
    return source >= 0
        && sink >= 0
        && isFreeChoice(net)
        && reach(net, source, true).cardinality() == net.places + net.transitions
        && reach(net, sink, false).cardinality() == net.places + net.transitions;
  }

  private static boolean isFreeChoice(PackedNet net) {
    for (int t = 0; t < net.transitions; t++) {
      for (int[] arcs : new int[][] {net.inputs[t], net.outputs[t]}) {
        for (int i = 1; i < arcs.length; i += 2) {
          if (arcs[i] != 1) {
            return false;
          }
        }
      }
      if (net.forbids[t].length > 0 || net.inputs[t].length == 0) {
        return false;
      }
      int[] same = sorted(net.takers[net.inputs[t][0]]);
      for (int i = 2; i < net.inputs[t].length; i += 2) {
        if (!Arrays.equals(same, sorted(net.takers[net.inputs[t][i]]))) {
          return false;
        }
      }
    }
    return true;
  }

  private static int[] sorted(int[] values) {
    int[] copy = values.clone();
    Arrays.sort(copy);
    return copy;
  }

  /// The places, and behind them the transitions, that lie ahead of a place or behind it.
  private static BitSet reach(PackedNet net, int from, boolean forward) {
    BitSet seen = new BitSet();
    int[] open = new int[net.places + net.transitions];
    int count = 0;
    open[count++] = from;
    seen.set(from);
    for (int i = 0; i < count; i++) {
      int at = open[i];
      if (at < net.places) {
        for (int t : forward ? net.takers[at] : net.givers[at]) {
          if (!seen.get(net.places + t)) {
            seen.set(net.places + t);
            open[count++] = net.places + t;
          }
        }
      } else {
        int[] arcs = forward ? net.outputs[at - net.places] : net.inputs[at - net.places];
        for (int k = 0; k < arcs.length; k += 2) {
          if (!seen.get(arcs[k])) {
            seen.set(arcs[k]);
            open[count++] = arcs[k];
          }
        }
      }
    }
    return seen;
  }

  /// The strongly connected component of every place and, behind them, of every transition.
  private static int[] components(PackedNet net) {
    int nodes = net.places + net.transitions;
    int[][] next = new int[nodes][];
    for (int place = 0; place < net.places; place++) {
      next[place] = Arrays.stream(net.takers[place]).map(t -> net.places + t).toArray();
    }
    for (int t = 0; t < net.transitions; t++) {
      int[] arcs = net.outputs[t];
      int[] targets = new int[arcs.length / 2];
      Arrays.setAll(targets, i -> arcs[2 * i]);
      next[net.places + t] = targets;
    }
    return new Components(next).run();
  }

  /// Tarjan's algorithm without recursion.
  private static final class Components {
    private final int[][] next;
    private final int[] order;
    private final int[] low;
    private final int[] component;
    private final int[] stack;
    private final int[] path;
    private final int[] position;
    private int stackSize;
    private int counter;
    private int found;

    Components(int[][] next) {
      this.next = next;
      int nodes = next.length;
      order = new int[nodes];
      low = new int[nodes];
      component = new int[nodes];
      stack = new int[nodes];
      path = new int[nodes];
      position = new int[nodes];
      Arrays.fill(component, -1);
    }

    int[] run() {
      for (int node = 0; node < next.length; node++) {
        if (order[node] == 0) {
          visit(node);
        }
      }
      return component;
    }

    private void visit(int root) {
      int depth = 0;
      path[depth] = root;
      open(root);
      while (depth >= 0) {
        int node = path[depth];
        if (position[node] < next[node].length) {
          int target = next[node][position[node]++];
          if (order[target] == 0) {
            path[++depth] = target;
            open(target);
          } else if (component[target] < 0) {
            low[node] = Math.min(low[node], order[target]);
          }
        } else {
          depth--;
          if (low[node] == order[node]) {
            close(node);
          }
          if (depth >= 0) {
            low[path[depth]] = Math.min(low[path[depth]], low[node]);
          }
        }
      }
    }

    private void open(int node) {
      order[node] = ++counter;
      low[node] = counter;
      stack[stackSize++] = node;
    }

    private void close(int node) {
      int member;
      do {
        member = stack[--stackSize];
        component[member] = found;
      } while (member != node);
      found++;
    }
  }
}
