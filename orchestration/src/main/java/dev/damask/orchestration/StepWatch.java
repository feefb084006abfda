package dev.damask.orchestration;

import dev.damask.task.Context;
import dev.damask.task.ProcessInfo;

/// Is told of every evaluation when it begins.
@FunctionalInterface
interface StepWatch {
  StepWatch NOBODY = (given, process) -> {};

  void begins(Context given, ProcessInfo process);
}
