package dev.damask.orchestration;

import dev.damask.orchestration.Trouble.Hard;
import dev.damask.task.Context;
import dev.damask.task.TaskResult;
import dev.damask.term.StepFunction;
import dev.damask.term.StepNode;
import java.util.Set;

/// Evaluates one step of a graph. It runs again after every effect, from where it had come.
///
/// @param spawns how many children each branch of the step has; they cost while they wait
record StepTask(String step, String rule, StepParts parts, Spawns spawns) implements StepFunction {
  record Spawns(int valid, int invalid) {}

  /// What the rule can lead to; a rule that is not there yet may turn out either way.
  @Override
  public Set<StepNode.Outcome> outcomes() {
    try {
      return parts.rules().get(rule).document().outcomes();
    } catch (Hard e) {
      return StepFunction.EITHER;
    }
  }

  @Override
  public TaskResult run(Context context) {
    try {
      if (!context.has(StepScope.PROGRESS)) {
        parts.watch().begins(context);
      }
      CompiledRule compiled = parts.rules().get(rule);
      return new StepRun(this, compiled, context).run();
    } catch (Hard e) {
      return new TaskResult.Failed(e.kind(), "step " + step + ": " + e.detail());
    }
  }
}
