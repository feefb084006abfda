package dev.damask.exec;

import dev.damask.program.Pool;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// The arcs of one net activation: tokens waiting at joins, and what has reached the end.
final class NetState {
  /// By node; null for nodes without a join.
  final @Nullable Arcs[] joins;

  /// How many tokens have reached the end, and what they brought.
  int ended;

  Context result = Context.empty();
  Context resultStamps = Context.empty();

  NetState(Pool.Net net) {
    joins = new Arcs[net.nodes().length];
    for (int i = 0; i < joins.length; i++) {
      if (net.nodes()[i].kind() != Pool.JoinKind.MERGE) {
        joins[i] = new Arcs(net.nodes()[i].arcs());
      }
    }
  }

  Arcs arcs(int node) {
    Arcs arcs = joins[node];
    Invariant.check(arcs != null, "I9 a token queues only at a join", node);
    return java.util.Objects.requireNonNull(arcs);
  }

  /// The incoming arcs of one join, in arc order.
  static final class Arcs {
    final Deque<Token>[] queues;

    /// Blocking joins: the context of the token seen on each arc this round; null when unseen.
    final @Nullable Context[] seen;

    final @Nullable Context[] seenStamps;
    boolean fired;

    /// How often the join has fired; names the tokens it makes.
    int firings;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type has no other spelling
    Arcs(int count) {
      queues = new Deque[count];
      for (int i = 0; i < count; i++) {
        queues[i] = new ArrayDeque<>(2);
      }
      seen = new Context[count];
      seenStamps = new Context[count];
    }

    boolean isMarked() {
      for (Deque<Token> queue : queues) {
        if (!queue.isEmpty()) {
          return true;
        }
      }
      return false;
    }

    int seenCount() {
      int count = 0;
      for (Context context : seen) {
        if (context != null) {
          count++;
        }
      }
      return count;
    }
  }
}
