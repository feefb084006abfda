package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.program.Pool;
import dev.damask.program.Pool.JoinKind;
import dev.damask.state.Frame;
import dev.damask.state.NetClosure;
import dev.damask.state.NetState;
import dev.damask.state.Token;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// The analysis against the truth: on small random nets every marking that can follow is explored.
final class ArrivalsPropertyTest {
  private static final int NETS = 20_000;
  private static final int STATES_MAX = 4_000;
  private static final int TOKENS_MAX = 4;

  @Test
  void an_or_join_never_fires_while_a_token_can_still_come_to_an_empty_arc() {
    long seed = 20_261_115;
    int allowed = 0;
    int exact = 0;
    for (int i = 0; i < NETS; i++) {
      SplittableRandom random = new SplittableRandom(seed + i);
      Pool.Net net = net(random);
      NetState now = new NetState(net);
      BitSet executing = new BitSet();
      mark(random, net, now, executing);
      int join = firstMarkedOr(net, now);
      if (join < 0) {
        continue;
      }
      BitSet blocked = new BitSet();
      blocked.set(join);
      NetClosure closure = new NetClosure(net, now, blocked, node -> {});
      closure.begin();
      executing.stream().forEach(closure::execute);

      boolean mayCome = closure.canReceive(join);
      boolean comes = comes(net, now, executing, join);

      assertThat(mayCome || !comes)
          .as("net of seed %d: the closure denied an arrival that exists", seed + i)
          .isTrue();
      allowed += mayCome ? 0 : 1;
      exact += mayCome == comes ? 1 : 0;
    }

    assertThat(allowed).as("nets on which the join may fire").isGreaterThan(NETS / 20);
    assertThat(exact).as("nets on which the closure is exact").isGreaterThan(NETS / 2);
  }

  /// A random net of three to six nodes with at least one OR-join.
  private static Pool.Net net(SplittableRandom random) {
    int count = 3 + random.nextInt(4);
    int or = random.nextInt(count);
    List<List<Integer>> sources = new ArrayList<>();
    for (int node = 0; node < count; node++) {
      Set<Integer> from = new HashSet<>();
      int wanted = 1 + random.nextInt(node == or ? 3 : 2) + (node == or ? 1 : 0);
      while (from.size() < Math.min(wanted, count)) {
        from.add(random.nextInt(count));
      }
      sources.add(from.stream().sorted().toList());
    }
    List<Pool.Arc> arcs = new ArrayList<>();
    List<List<Integer>> outgoing = new ArrayList<>();
    for (int node = 0; node < count; node++) {
      outgoing.add(new ArrayList<>());
    }
    JoinKind[] kinds = new JoinKind[count];
    for (int node = 0; node < count; node++) {
      kinds[node] = node == or ? JoinKind.OR : kind(random);
      for (int position = 0; position < sources.get(node).size(); position++) {
        int source = sources.get(node).get(position);
        outgoing.get(source).add(arcs.size());
        int place = kinds[node] == JoinKind.MERGE ? -1 : position;
        arcs.add(new Pool.Arc(source, node, place));
      }
    }
    Pool.Node[] nodes = new Pool.Node[count];
    for (int node = 0; node < count; node++) {
      int size = kinds[node] == JoinKind.MERGE ? 0 : sources.get(node).size();
      int[] weights = new int[size];
      Arrays.fill(weights, 1);
      int k = kinds[node] == JoinKind.AND ? size : 1;
      int[] out = outgoing.get(node).stream().mapToInt(Integer::intValue).toArray();
      nodes[node] = new Pool.Node("n" + node, kinds[node], weights, k, new int[0], false, 0, out);
    }
    return new Pool.Net(
        Mode.IMPLICIT, Merge.Standard.NEWEST, nodes, arcs.toArray(Pool.Arc[]::new), new int[0], 0);
  }

  private static JoinKind kind(SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0, 1 -> JoinKind.MERGE;
      case 2, 3 -> JoinKind.AND;
      default -> JoinKind.OR;
    };
  }

  /// Puts tokens into bodies and onto arcs, never so many that a join could fire at once.
  private static void mark(SplittableRandom random, Pool.Net net, NetState now, BitSet executing) {
    for (int node = 0; node < net.nodes().length; node++) {
      if (random.nextInt(3) == 0) {
        executing.set(node);
      }
      int arcs = net.nodes()[node].arcs();
      if (arcs > 1 && random.nextInt(2) == 0) {
        now.arcs(node).queues[random.nextInt(arcs)].add(token());
      }
    }
  }

  private static Token token() {
    Frame frame = new Frame(1, Frame.Kind.CASE, null, 0, Context.empty(), 0);
    return new Token(2, frame, 0, Context.empty(), Context.empty(), 0);
  }

  private static int firstMarkedOr(Pool.Net net, NetState now) {
    for (int node = 0; node < net.nodes().length; node++) {
      if (net.nodes()[node].kind() == JoinKind.OR && now.arcs(node).isMarked()) {
        return node;
      }
    }
    return -1;
  }

  /// Whether some sequence of steps without the join firing brings a token to an empty arc of it. A
  /// body may leave along any non-empty set of its arcs, or end; other OR-joins fire at will.
  private static boolean comes(Pool.Net net, NetState now, BitSet executing, int join) {
    int nodes = net.nodes().length;
    int[] start = new int[nodes + net.arcs().length];
    for (int node = 0; node < nodes; node++) {
      start[node] = executing.get(node) ? 1 : 0;
    }
    BitSet empty = new BitSet();
    for (int arc = 0; arc < net.arcs().length; arc++) {
      Pool.Arc each = net.arcs()[arc];
      if (each.position() >= 0) {
        start[nodes + arc] = now.arcs(each.target()).queues[each.position()].size();
      }
      if (each.target() == join && start[nodes + arc] == 0) {
        empty.set(arc);
      }
    }
    Set<List<Integer>> seen = new HashSet<>();
    Deque<int[]> open = new ArrayDeque<>();
    open.add(start);
    while (!open.isEmpty() && seen.size() < STATES_MAX) {
      int[] state = open.poll();
      if (!seen.add(Arrays.stream(state).boxed().toList())) {
        continue;
      }
      for (int arc = empty.nextSetBit(0); arc >= 0; arc = empty.nextSetBit(arc + 1)) {
        if (state[nodes + arc] > 0) {
          return true;
        }
      }
      follow(net, state, join, open);
    }
    return false;
  }

  private static void follow(Pool.Net net, int[] state, int join, Deque<int[]> open) {
    int nodes = net.nodes().length;
    for (int node = 0; node < nodes; node++) {
      if (state[node] > 0) {
        int[] out = net.nodes()[node].outgoing();
        for (int subset = 0; subset < 1 << out.length; subset++) {
          int[] next = state.clone();
          next[node]--;
          for (int i = 0; i < out.length; i++) {
            if ((subset >> i & 1) == 1) {
              arrive(net, next, out[i]);
            }
          }
          offer(next, open);
        }
      }
      if (node != join && net.nodes()[node].arcs() > 0) {
        fire(net, state, node, open);
      }
    }
  }

  private static void arrive(Pool.Net net, int[] state, int arc) {
    Pool.Arc each = net.arcs()[arc];
    if (each.position() < 0) {
      state[each.target()]++;
    } else {
      state[net.nodes().length + arc]++;
    }
  }

  private static void fire(Pool.Net net, int[] state, int node, Deque<int[]> open) {
    int[] next = state.clone();
    int marked = 0;
    int arcs = 0;
    for (int arc = 0; arc < net.arcs().length; arc++) {
      if (net.arcs()[arc].target() == node) {
        arcs++;
        int at = net.nodes().length + arc;
        if (next[at] > 0) {
          next[at]--;
          marked++;
        }
      }
    }
    boolean fires = net.nodes()[node].kind() == JoinKind.OR ? marked > 0 : marked == arcs;
    if (fires) {
      next[node]++;
      offer(next, open);
    }
  }

  private static void offer(int[] state, Deque<int[]> open) {
    if (Arrays.stream(state).max().orElse(0) <= TOKENS_MAX) {
      open.add(state);
    }
  }
}
