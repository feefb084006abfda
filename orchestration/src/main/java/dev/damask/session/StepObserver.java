package dev.damask.session;

import dev.damask.task.ProcessInfo;
import dev.damask.value.Context;

/// Is notified of every evaluation that begins.
@FunctionalInterface
public interface StepObserver {
  /// Ignores the evaluations.
  StepObserver NONE = (given, process) -> {};

  /// An evaluation of a process begins.
  ///
  /// @param given the input of the step, with the engine's keys
  void begins(Context given, ProcessInfo process);
}
