package dev.damask.document;

import dev.damask.json.Json;
import dev.damask.json.Position;
import dev.damask.term.Definition;
import dev.damask.term.Node;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import java.util.Map;

/// Finds forks with more branches than the workflow allows.
final class BranchCheck {
  private final Diagnostics diagnostics;
  private final Map<String, Position> positions;

  BranchCheck(Diagnostics diagnostics, Map<String, Position> positions) {
    this.diagnostics = diagnostics;
    this.positions = positions;
  }

  void check(WorkflowDefinition workflow) {
    int max = workflow.limits().branches();
    TermWalker.walk(TermPath.BODY, workflow.body(), (path, term) -> require(path, term, max));
    for (Definition definition : workflow.definitions()) {
      TermPath root = TermPath.definition(definition.name());
      TermWalker.walk(root, definition.body(), (path, term) -> require(path, term, max));
    }
  }

  private void require(TermPath path, Term term, int max) {
    int branches =
        switch (term) {
          case Term.Par(var all, var merge) -> all.size();
          case Term.Xor(var choices) -> choices.size();
          case Term.Join(var policy, var all) -> all.size();
          case Term.Defer(var alternatives) -> alternatives.size();
          case Term.Graph graph -> widest(graph);
          default -> 0;
        };
    if (branches > max) {
      Position at = positions.getOrDefault(path.toString(), Position.START);
      throw diagnostics.problem(
          path,
          new Json.Nothing(at),
          "a fork must have at most " + max + " branches, got " + branches);
    }
  }

  private static int widest(Term.Graph graph) {
    int widest = graph.start().targets().size();
    for (Node node : graph.nodes()) {
      widest = Math.max(widest, node.then().targets().size());
    }
    return widest;
  }
}
