package dev.damask.term;

import dev.damask.task.ProcessInfo;
import dev.damask.task.TaskFunction;
import dev.damask.value.Context;
import dev.damask.value.StepOutcome;
import dev.damask.value.TaskResult;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// A function that evaluates a step for a process, and knows how that can end, whatever the data
/// are.
public interface StepFunction extends TaskFunction {
  /// The outcomes of an evaluation that is valid or invalid.
  Set<StepOutcome> EITHER =
      Collections.unmodifiableSet(EnumSet.of(StepOutcome.VALID, StepOutcome.INVALID));

  /// Evaluates the step for a process.
  TaskResult evaluate(Context payload, ProcessInfo process);

  /// Evaluates the step without a process. The machine fails the task if an evaluation is returned
  /// where no step is.
  @Override
  default TaskResult run(Context context) {
    return evaluate(context, ProcessInfo.NOBODY);
  }

  /// Returns what a diagram shows of the step besides its name: its rule, waits and messages.
  default List<String> notes() {
    return List.of();
  }

  /// Returns every way the evaluation may end, except failures.
  Set<StepOutcome> outcomes();
}
