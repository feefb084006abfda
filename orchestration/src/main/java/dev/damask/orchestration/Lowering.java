package dev.damask.orchestration;

import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.Limits;
import dev.damask.term.Mode;
import dev.damask.term.StepNode;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Turns a graph into a workflow of the machine: one step node for each step, whose task evaluates
/// the rule.
final class Lowering {
  /// Attempts of a read, a call or an execution, the first one included.
  static final int ATTEMPTS = 3;

  private static final TaskOptions OPTIONS =
      TaskOptions.DEFAULT
          .withResult(StepScope.EFFECT)
          .withRetry(new Retry(ATTEMPTS, Duration.ofMillis(200), 2.0, 0.2));

  private Lowering() {}

  /// The workflow of a graph. Its name is the graph's own with the beginning of its hash, so that
  /// two versions of a graph never answer to one name.
  static WorkflowDefinition workflow(GraphDocument graph, StepParts parts) {
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
    List<StepNode> steps = new ArrayList<>();
    StepNotes notes = new StepNotes(graph, parts.rules());
    for (Map.Entry<String, GraphDocument.Step> entry : graph.steps().entrySet()) {
      GraphDocument.Step step = entry.getValue();
      StepTask.Spawns spawns =
          new StepTask.Spawns(step.onValid().spawns().size(), step.onInvalid().spawns().size());
      StepTask task = new StepTask(entry.getKey(), step.rule(), parts, spawns, notes);
      Term.Work work = new Term.Work.Pure(task, "rule " + step.rule());
      steps.add(
          new StepNode(
              entry.getKey(),
              new Term.Task(entry.getKey(), work, OPTIONS, null),
              branch(step.onValid()),
              branch(step.onInvalid())));
    }
    return steps;
  }

  /// The steps alone, for questions about the shape of a graph.
  static List<StepNode> shape(GraphDocument graph) {
    return steps(graph, StepParts.of(new RuleSource.Cache(key -> null)));
  }

  static StepNode.Branch branch(GraphDocument.Branch branch) {
    GraphDocument.Join join = branch.join();
    return new StepNode.Branch(
        branch.spawns(),
        join == null
            ? null
            : new StepNode.GroupJoin(
                join.target(),
                join.k(),
                join.rest() == GraphDocument.Rest.KILL,
                join.from().stream().map(Lowering::source).toList()));
  }

  private static StepNode.Source source(GraphDocument.Source source) {
    return new StepNode.Source(
        source.node(), StepNode.When.valueOf(source.when().name().toUpperCase(Locale.ROOT)));
  }
}
