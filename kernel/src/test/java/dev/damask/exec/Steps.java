package dev.damask.exec;

import dev.damask.term.Flow;
import dev.damask.term.StepFunction;
import dev.damask.term.StepNode;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.StepOutcome;
import dev.damask.value.StepResult;
import dev.damask.value.StepResult.Start;
import dev.damask.value.TaskResult;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Writes process instances whose evaluations are reported from outside.
final class Steps {
  private static final String OUTCOME = "outcome";

  /// How long the children wait, until when, and what the evaluation costs.
  static final String WAIT = "wait";

  static final String UNTIL = "until";
  static final String COST = "cost";

  static final Context VALID = outcome("valid");
  static final Context INVALID = outcome("invalid");

  private Steps() {}

  static Context outcome(String word) {
    return Context.of(OUTCOME, word);
  }

  /// A step that waits to be told its outcome.
  static StepNode step(String id, StepNode.Branch valid, StepNode.Branch invalid) {
    return new StepNode(
        id, Flow.task(id, (StepFunction) (told, _) -> evaluate(told)), valid, invalid);
  }

  private static StepResult evaluate(Context told) {
    if (!(told.get(OUTCOME) instanceof String word)) {
      return new TaskResult.Wants(EffectSpec.of("evaluate"), told);
    }
    Start start = Start.NOW;
    if (told.get(UNTIL) instanceof Long millis) {
      start = new Start.At(millis);
    } else if (told.get(WAIT) instanceof Long millis) {
      start = new Start.After(millis);
    }
    return new StepResult.Evaluated(
        StepOutcome.valueOf(word.toUpperCase(Locale.ROOT)),
        told.without(OUTCOME).without(WAIT).without(UNTIL).without(COST),
        told.get(COST) instanceof Long cost ? cost : 0,
        StepResult.Note.NONE,
        start);
  }

  static StepNode step(String id, StepNode.Branch valid) {
    return step(id, valid, StepNode.Branch.NONE);
  }

  static StepNode leaf(String id) {
    return step(id, StepNode.Branch.NONE);
  }

  /// A step that is valid at once.
  static StepNode sure(String id, StepNode.Branch valid) {
    Term.Task task = Flow.task(id, (StepFunction) (context, _) -> evaluate(context.withAll(VALID)));
    return new StepNode(id, task, valid, StepNode.Branch.NONE);
  }

  static StepNode.Branch spawns(String... steps) {
    return new StepNode.Branch(List.of(steps), null);
  }

  static StepNode.Branch spawns(StepNode.GroupJoin join, String... steps) {
    return new StepNode.Branch(List.of(steps), join);
  }

  /// A join such as `join("J", 2, "kill", "G valid", "H any")`.
  static StepNode.GroupJoin join(String target, int need, String rest, String... from) {
    return new StepNode.GroupJoin(
        target, need, rest.equals("kill"), Arrays.stream(from).map(Steps::source).toList());
  }

  private static StepNode.Source source(String text) {
    String[] words = text.split(" ", -1);
    return new StepNode.Source(words[0], StepNode.When.valueOf(words[1].toUpperCase(Locale.ROOT)));
  }

  /// Steps that are only mentioned are leaves.
  static WorkflowDefinition workflow(String entry, StepNode... steps) {
    Map<String, StepNode> all = new LinkedHashMap<>();
    for (StepNode step : steps) {
      all.put(step.id(), step);
    }
    for (StepNode step : steps) {
      for (StepNode.Branch branch : List.of(step.onValid(), step.onInvalid())) {
        branch.spawns().forEach(id -> all.computeIfAbsent(id, Steps::leaf));
        if (branch.join() != null) {
          branch.join().from().forEach(each -> all.computeIfAbsent(each.step(), Steps::leaf));
          all.computeIfAbsent(branch.join().target(), Steps::leaf);
        }
      }
    }
    return Flow.workflow("w", new Term.Processes(List.copyOf(all.values())))
        .withContext(Context.of(StepNode.ENTRY, entry));
  }
}
