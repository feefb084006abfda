package dev.damask.term;

import dev.damask.task.StepOutcome;
import dev.damask.task.TaskFunction;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/// A function that evaluates a step and knows how that can end, whatever the data are.
public interface StepFunction extends TaskFunction {
  Set<StepOutcome> EITHER =
      Collections.unmodifiableSet(EnumSet.of(StepOutcome.VALID, StepOutcome.INVALID));

  /// Every way the evaluation may end, failures aside.
  Set<StepOutcome> outcomes();
}
