package dev.damask.term;

import dev.damask.task.ProcessInfo;
import dev.damask.task.TaskFunction;
import dev.damask.value.Context;
import dev.damask.value.StepOutcome;
import dev.damask.value.StepResult;
import dev.damask.value.TaskResult;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// A function that evaluates a step for a process and knows all outcomes of the evaluation.
public interface StepFunction extends TaskFunction {
  /// The outcomes of a step that is neither aborted nor cancelled by its rule.
  Set<StepOutcome> EITHER =
      Collections.unmodifiableSet(EnumSet.of(StepOutcome.VALID, StepOutcome.INVALID));

  /// Evaluates the step for a process. The machine calls it again after each effect it requests.
  StepResult evaluate(Context payload, ProcessInfo process);

  /// Evaluates the step outside of a process. Returns a failure if that ends, because nothing can
  /// follow from it.
  @Override
  default TaskResult run(Context context) {
    return switch (evaluate(context, ProcessInfo.NO_PROCESS)) {
      case TaskResult.Wants wants -> wants;
      case TaskResult.Failed failed -> failed;
      case StepResult.Evaluated _ ->
          new TaskResult.Failed("exception", "only the task of a step can be evaluated");
    };
  }

  /// Returns what a diagram shows of the step besides its name: its rule, waits and messages.
  default List<String> notes() {
    return List.of();
  }

  /// Returns every outcome that the evaluation may have, failures aside.
  default Set<StepOutcome> outcomes() {
    return EITHER;
  }
}
