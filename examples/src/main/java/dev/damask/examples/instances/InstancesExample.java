package dev.damask.examples.instances;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.task.Expression;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy.Rest;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// A text is reviewed by all persons on a list, and by one more who arrives late. Three verdicts
/// are enough: then the other reviews are cancelled.
public final class InstancesExample {
  private InstancesExample() {}

  public static void main(String[] arguments) throws InterruptedException {
    run(System.out);
  }

  private static WorkflowDefinition review() {
    var reviewers = Expression.named("reviewers", context -> context.get("reviewers"));
    var three =
        InstancePolicy.of(reviewers)
            .between(1, 10)
            .opened()
            .need(3)
            .rest(Rest.CANCEL)
            .collect("verdict");
    return workflow(
        "review",
        instances("reviews", three, effect("read")),
        task("count", context -> context.with("verdicts", context.get("verdict_all"))));
  }

  static void run(PrintStream out) throws InterruptedException {
    WorkflowDefinition review = review();
    try (var engine = Engine.open(review)) {
      var people = List.of("ann", "bob", "cem");
      Run<Context> run = engine.start(review, "paper", Context.of("reviewers", people));
      out.println("reading: " + reading(run));
      verdict(run, "2", "accept", out);
      out.println("one more: " + run.addInstance("reviews", "dan").kind());
      out.println("reading: " + reading(run));
      verdict(run, "4", "accept", out);
      verdict(run, "1", "reject", out);
      out.println("completed: " + engine.await("paper"));
      out.println("one more: " + run.addInstance("reviews", "eve").kind());

      Run<Context> nobody = engine.start(review, "nobody", Context.of("reviewers", List.of()));
      out.println("without a reviewer: " + nobody.await());
    }
  }

  private static String reading(Run<Context> run) {
    return run.status().tasks().stream()
        .map(task -> task.task() + "[" + task.label() + "]")
        .collect(Collectors.joining(", "));
  }

  private static void verdict(Run<Context> run, String instance, String verdict, PrintStream out) {
    PendingTask task =
        run.status().tasks().stream()
            .filter(each -> each.label().equals(instance))
            .findFirst()
            .orElseThrow();
    out.println(
        "read[%s] says %s: %s"
            .formatted(
                instance, verdict, run.completeTask(task.id(), Map.of("verdict", verdict)).kind()));
  }
}
