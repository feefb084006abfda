package dev.damask.orchestration;

import dev.damask.task.ProcessInfo;
import dev.damask.value.Context;

/// Is told of every evaluation when it begins.
@FunctionalInterface
interface StepObserver {
  StepObserver NOBODY = (given, process) -> {};

  void begins(Context given, ProcessInfo process);
}
