package dev.damask.state;

import dev.damask.program.Pool;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// The arcs of one net activation: tokens waiting at joins, and what has reached the end.
public final class NetState extends Part.Owned {
  /// By node; null for nodes without a join.
  public final @Nullable Arcs[] joins;

  /// How many tokens have reached the end, and what they brought.
  public int ended;

  public Context result = Context.empty();
  public Context resultStamps = Context.empty();

  public NetState(Pool.Net net) {
    joins = new Arcs[net.nodes().length];
    for (int i = 0; i < joins.length; i++) {
      if (net.nodes()[i].kind() != Pool.JoinKind.MERGE) {
        joins[i] = new Arcs(net.nodes()[i].arcs());
      }
    }
  }

  public void setResult(Context result) {
    this.result = result;
    touch();
  }

  public void setResultStamps(Context resultStamps) {
    this.resultStamps = resultStamps;
    touch();
  }

  public void setEnded(int ended) {
    this.ended = ended;
    touch();
  }

  /// Lets its joins mark the frame of the net.
  void adopt(Frame frame) {
    for (int node = 0; node < joins.length; node++) {
      Arcs arcs = joins[node];
      if (arcs != null) {
        arcs.adopt(frame, node);
      }
    }
  }

  void touchAll(Frame frame) {
    for (int node = 0; node < joins.length; node++) {
      frame.touch(PartMarks.Entries.NODE, node);
    }
  }

  public Arcs arcs(int node) {
    Arcs arcs = joins[node];
    Invariant.check(arcs != null, "I9 a token queues only at a join", node);
    return java.util.Objects.requireNonNull(arcs);
  }

  /// The incoming arcs of one join, in arc order.
  public static final class Arcs {
    public final Deque<Token>[] queues;

    /// Blocking joins: the context of the token seen on each arc this round; null when unseen.
    public final @Nullable Context[] seen;

    public final @Nullable Context[] seenStamps;
    public boolean fired;

    /// How often the join has fired; names the tokens it makes.
    public int firings;

    /// How many tokens were ever queued.
    public int arrivals;

    private @Nullable Frame frame; // null while the state is being built
    private int node;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type has no other spelling
    Arcs(int count) {
      queues = new Deque[count];
      for (int i = 0; i < count; i++) {
        queues[i] = new ArrayDeque<>(2);
      }
      seen = new Context[count];
      seenStamps = new Context[count];
    }

    private void adopt(Frame net, int own) {
      frame = net;
      node = own;
      number();
    }

    /// Numbers the queued tokens of a state that was stored without numbers.
    private void number() {
      for (Deque<Token> queue : queues) {
        for (Token token : queue) {
          if (token.queued == 0) {
            token.setQueued(++arrivals);
          }
        }
      }
    }

    private void touch() {
      if (frame != null) {
        frame.touch(PartMarks.Entries.NODE, node);
      }
    }

    public void setFired(boolean fired) {
      this.fired = fired;
      touch();
    }

    /// Counts one more firing and returns its number.
    public int fire() {
      touch();
      return ++firings;
    }

    public void setSeen(int arc, @Nullable Context context, @Nullable Context stamps) {
      seen[arc] = context;
      seenStamps[arc] = stamps;
      touch();
    }

    /// Puts a token at the end of the queue of an arc.
    public void enqueue(int arc, Token token) {
      token.setQueued(++arrivals);
      queues[arc].add(token);
      touch();
    }

    public boolean isMarked() {
      for (Deque<Token> queue : queues) {
        if (!queue.isEmpty()) {
          return true;
        }
      }
      return false;
    }

    public int seenCount() {
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
