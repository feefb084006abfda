package dev.damask.drawing;

import dev.damask.term.Term;
import java.util.List;

/// Graphs.
final class Graphs {
  private Graphs() {}

  static Block of(Term.Graph graph, List<Block> bodies, boolean isInner) {
    return Rows.of(bodies).kind("graph");
  }
}
