package dev.damask.term;

import dev.damask.task.Guard;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where the tokens of a node, or of the start of a graph, go. A target is a node id or `end`.
public sealed interface Split {
  /// The token goes to one target.
  record To(String target) implements Split {
    public To {
      Names.require("split", target);
    }
  }

  /// One token to every target.
  record And(List<String> targets) implements Split {
    public And {
      targets = List.copyOf(targets);
      if (targets.size() < 2) {
        throw new IllegalArgumentException("and split needs two targets, got " + targets.size());
      }
    }
  }

  /// The token goes along the first arc whose guard is true.
  record Xor(List<Arc> arcs) implements Split {
    public Xor {
      arcs = requireArcs("xor", arcs);
    }
  }

  /// One token along every arc whose guard is true.
  record Or(List<Arc> arcs) implements Split {
    public Or {
      arcs = requireArcs("or", arcs);
    }
  }

  /// Several tokens to one target.
  record Copies(int count, String target) implements Split {
    public static final int COUNT_MAX = 10_000;

    public Copies {
      Names.require("split", target);
      if (count < 1 || count > COUNT_MAX) {
        throw new IllegalArgumentException(
            "copies is between 1 and " + COUNT_MAX + ", got " + count);
      }
    }
  }

  /// A guarded way out.
  ///
  /// @param guard null for the `else` arc and for arcs left to the scheduler
  /// @param otherwise whether the arc is taken when no guard is true
  record Arc(@Nullable Guard guard, boolean otherwise, String target) {
    public Arc {
      Names.require("split", target);
      if (guard != null && otherwise) {
        throw new IllegalArgumentException("an else arc has no guard");
      }
    }
  }

  /// Every target this split can send a token to, in the order written.
  default List<String> targets() {
    return switch (this) {
      case To(String target) -> List.of(target);
      case And(List<String> targets) -> targets;
      case Xor(List<Arc> arcs) -> arcs.stream().map(Arc::target).toList();
      case Or(List<Arc> arcs) -> arcs.stream().map(Arc::target).toList();
      case Copies(int count, String target) -> List.of(target);
    };
  }

  private static List<Arc> requireArcs(String what, List<Arc> arcs) {
    List<Arc> copy = List.copyOf(arcs);
    if (copy.isEmpty()) {
      throw new IllegalArgumentException(what + " split needs an arc");
    }
    long others = copy.stream().filter(Arc::otherwise).count();
    if (others > 1 || (others == 1 && !copy.getLast().otherwise())) {
      throw new IllegalArgumentException(what + " split has at most one else, which must be last");
    }
    long free = copy.stream().filter(arc -> arc.guard() == null && !arc.otherwise()).count();
    if (free != 0 && (what.equals("or") || free != copy.size())) {
      throw new IllegalArgumentException(
          what
              + " split: every arc but the else has a guard"
              + (what.equals("xor") ? ", or none has" : ""));
    }
    return copy;
  }
}
