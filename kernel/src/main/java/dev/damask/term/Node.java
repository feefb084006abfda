package dev.damask.term;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A node of a graph: an optional join, a body, and where its tokens go.
///
/// @param join null when every arriving token runs the body on its own
public record Node(String id, @Nullable Join join, Term body, Split then) {
  /// The names a node cannot have: they mean the edge of the graph.
  public static final String START = "start";

  public static final String END = "end";

  public Node {
    Names.require("node", id);
    if (id.equals(START) || id.equals(END)) {
      throw new IllegalArgumentException("a node cannot be named '" + id + "'");
    }
  }

  /// How the tokens on the incoming arcs of a node become one. Sources are named in arc order.
  public sealed interface Join {
    /// Returns the sources of the incoming arcs, in arc order.
    List<String> sources();

    /// Whether the join is given up when it can no longer be met; otherwise it waits and the case
    /// reports a deadlock.
    boolean abort();

    /// Takes a number of tokens from every arc.
    record And(Map<String, Integer> weights, boolean abort) implements Join {
      public And {
        weights = Collections.unmodifiableMap(new LinkedHashMap<>(weights));
        requireSources("and", List.copyOf(weights.keySet()));
        weights.forEach((source, weight) -> {
          if (weight < 1) {
            throw new IllegalArgumentException(
                "and: the weight of '" + source + "' must be at least 1, got " + weight);
          }
        });
      }

      @Override
      public List<String> sources() {
        return List.copyOf(weights.keySet());
      }
    }

    /// Takes one token of every marked arc when no other arc can be marked any more.
    record Or(List<String> sources, boolean abort) implements Join {
      public Or {
        sources = requireSources("or", sources);
      }
    }

    /// Fires on the k-th distinct arc and resets when all arcs have been seen.
    record Blocking(int k, List<String> sources, boolean abort) implements Join {
      public Blocking {
        sources = requireSources("kof", sources);
        requireCount(k, sources);
      }
    }

    /// Fires when k arcs hold a token and cancels everything in the named nodes.
    record Cancelling(int k, List<String> sources, List<String> cancel, boolean abort)
        implements Join {
      public Cancelling {
        sources = requireSources("kof", sources);
        cancel = List.copyOf(cancel);
        requireCount(k, sources);
      }
    }

    private static List<String> requireSources(String what, List<String> sources) {
      List<String> copy = List.copyOf(sources);
      if (copy.isEmpty()) {
        throw new IllegalArgumentException(what + " join needs a source");
      }
      if (copy.stream().distinct().count() != copy.size()) {
        throw new IllegalArgumentException(what + " join names a source twice: " + copy);
      }
      return copy;
    }

    private static void requireCount(int k, List<String> sources) {
      if (k < 1 || k > sources.size()) {
        throw new IllegalArgumentException(
            "kof is between 1 and the number of sources, " + sources.size() + ", got " + k);
      }
    }
  }
}
