package dev.damask.orchestration;

import dev.damask.orchestration.Trouble.Hard;
import dev.damask.task.Context;
import dev.damask.task.TaskFunction;
import dev.damask.task.TaskResult;

/// Evaluates one step of a graph. It runs again after every effect, from where it had come.
///
/// @param spawns how many children each branch of the step has; they cost while they wait
record StepTask(String step, String rule, StepParts parts, Spawns spawns) implements TaskFunction {
  record Spawns(int valid, int invalid) {}

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
