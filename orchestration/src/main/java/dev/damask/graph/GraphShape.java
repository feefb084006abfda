package dev.damask.graph;

import dev.damask.task.TaskOptions;
import dev.damask.term.StepNode;
import dev.damask.term.Term;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;

/// Translates the steps of a graph into step nodes.
public final class GraphShape {
  private static final Term.Work NOTHING = new Term.Work.Pure(context -> context, "");

  private GraphShape() {}

  /// Returns one node for each step.
  ///
  /// @param task creates the task of a step from its id and its description
  public static List<StepNode> steps(
      GraphDocument graph, BiFunction<String, GraphDocument.Step, Term.Task> task) {
    List<StepNode> steps = new ArrayList<>();
    for (Map.Entry<String, GraphDocument.Step> entry : graph.steps().entrySet()) {
      GraphDocument.Step step = entry.getValue();
      steps.add(
          new StepNode(
              entry.getKey(),
              task.apply(entry.getKey(), step),
              branch(step.onValid()),
              branch(step.onInvalid())));
    }
    return steps;
  }

  /// Returns the nodes with tasks that do nothing, for checks of the graph's structure.
  static List<StepNode> steps(GraphDocument graph) {
    return steps(graph, (id, _) -> new Term.Task(id, NOTHING, TaskOptions.DEFAULT, null));
  }

  private static StepNode.Branch branch(GraphDocument.Branch branch) {
    GraphDocument.Join join = branch.join();
    return new StepNode.Branch(
        branch.spawns(),
        join == null
            ? null
            : new StepNode.GroupJoin(
                join.target(),
                join.k(),
                join.rest() == GraphDocument.Rest.KILL,
                join.from().stream().map(GraphShape::source).toList()));
  }

  private static StepNode.Source source(GraphDocument.Source source) {
    return new StepNode.Source(
        source.node(), StepNode.When.valueOf(source.when().name().toUpperCase(Locale.ROOT)));
  }
}
