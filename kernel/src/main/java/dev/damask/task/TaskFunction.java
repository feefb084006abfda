package dev.damask.task;

import dev.damask.value.Context;
import dev.damask.value.TaskResult;
import java.util.List;

/// The code of a task that runs inside the machine: a pure function of its context.
///
/// It may be called from any thread but never by two at once for one case, and never again once its
/// result has been committed. An exception it throws fails the task.
@FunctionalInterface
public interface TaskFunction {
  /// Runs the task and returns the context after it, the effect it requests, or its failure.
  TaskResult run(Context context);

  /// Whether the function may take long. The engine runs a slow function on a separate thread, so
  /// that it delays no other case; its result comes back as an input. After a restart it runs
  /// again, unless its result was committed.
  default boolean isSlow() {
    return false;
  }

  /// Whether the undo of the task is recorded when the task starts, because an execution that ends
  /// early may have completed parts that must be undone. Only a slow function may return true.
  default boolean isUndoneFromStart() {
    return false;
  }

  /// Returns the same function with constant expressions computed in advance.
  default TaskFunction folded() {
    return this;
  }

  /// Returns the same function, declared slow.
  static TaskFunction slow(TaskFunction function) {
    return new SlowFunction(function);
  }

  /// Returns the keys that a run always writes, also with the values they have already. Empty for a
  /// function that writes the keys whose values it changes; otherwise it must not change any other
  /// key.
  default List<String> writtenKeys() {
    return List.of();
  }
}
