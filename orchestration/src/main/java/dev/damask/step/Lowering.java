package dev.damask.step;

import dev.damask.graph.GraphDocument;
import dev.damask.graph.GraphShape;
import dev.damask.graph.StepNotes;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.Limits;
import dev.damask.term.Mode;
import dev.damask.term.StepNode;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;

/// Translates a graph into a workflow with one step node per step, whose task evaluates the rule.
public final class Lowering {
  /// Attempts of a read, a call or an execution, the first one included.
  public static final int ATTEMPTS = 3;

  private static final TaskOptions OPTIONS =
      TaskOptions.DEFAULT
          .withResult(StepScope.EFFECT)
          .withRetry(new Retry(ATTEMPTS, Duration.ofMillis(200), 2.0, 0.2));

  private Lowering() {}

  /// The workflow of a graph. Its name is the graph's id and the start of its hash, so two versions
  /// of a graph have different names.
  public static WorkflowDefinition workflow(GraphDocument graph, StepParts parts) {
    return new WorkflowDefinition(
        name(graph),
        graph.hash(),
        "",
        Mode.IMPLICIT,
        Context.empty(),
        List.of(),
        List.of(),
        Limits.DEFAULT,
        new Term.Processes(steps(graph, parts)));
  }

  static String name(GraphDocument graph) {
    String plain = graph.id().replaceAll("[^A-Za-z0-9._-]", "_");
    String cut = plain.length() > 60 ? plain.substring(0, 60) : plain;
    return "graph." + cut + "." + graph.hash().substring(0, 16);
  }

  private static List<StepNode> steps(GraphDocument graph, StepParts parts) {
    StepNotes notes = new StepNotes(graph, parts.rules());
    return GraphShape.steps(
        graph,
        (id, step) -> {
          StepTask.Spawns spawns =
              new StepTask.Spawns(step.onValid().spawns().size(), step.onInvalid().spawns().size());
          StepTask task = new StepTask(id, step.rule(), parts, spawns, notes);
          return new Term.Task(id, new Term.Work.Pure(task, "rule " + step.rule()), OPTIONS, null);
        });
  }
}
