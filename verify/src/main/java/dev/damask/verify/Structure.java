package dev.damask.verify;

import java.util.Arrays;

/// Proves bounds of a net from its arcs alone.
final class Structure {
  private Structure() {}

  /// Returns whether every transition on a cycle produces at most as many tokens as it consumes.
  ///
  /// Then the net is bounded: assign a weight to the places of each component, larger the further
  /// upstream it is, such that the outputs of a transition off the cycles never weigh more than its
  /// inputs. No firing increases the total weight, and every token has a positive weight.
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

  /// Returns whether completion implies safety: all arc weights are 1, places that share a consumer
  /// share all their consumers (extended free choice), no place is required to be empty, and every
  /// transition has an input and an output place.
  ///
  /// In such a net, if every reachable marking can reach a final one and no terminal marking has
  /// two tokens on a sink, no place ever holds two tokens. The number of sources and sinks and dead
  /// transitions do not matter. The proof: `docs/verification.md`, "Completing nets are safe".
  static boolean isSafeIfCompleting(PackedNet net) {
    for (int t = 0; t < net.transitions; t++) {
      boolean plain = isOrdinary(net.inputs[t]) && isOrdinary(net.outputs[t]);
      if (!plain || net.forbids[t].length > 0) {
        return false;
      }
      int[] same = net.takers[net.inputs[t][0]];
      for (int i = 2; i < net.inputs[t].length; i += 2) {
        // Consumers are indexed in one order for all places.
        if (!Arrays.equals(same, net.takers[net.inputs[t][i]])) {
          return false;
        }
      }
    }
    return true;
  }

  /// Returns whether there is an arc and all have weight 1.
  private static boolean isOrdinary(int[] arcs) {
    for (int i = 1; i < arcs.length; i += 2) {
      if (arcs[i] != 1) {
        return false;
      }
    }
    return arcs.length > 0;
  }

  /// Returns the strongly connected component of every place, followed by those of the transitions.
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
    return components(next);
  }

  /// Returns the strongly connected component of every node of a graph.
  static int[] components(int[][] next) {
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
