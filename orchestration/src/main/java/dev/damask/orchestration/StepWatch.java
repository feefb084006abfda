package dev.damask.orchestration;

import dev.damask.task.Context;

/// Is told of every evaluation when it begins.
@FunctionalInterface
interface StepWatch {
  StepWatch NOBODY = given -> {};

  void begins(Context given);
}
