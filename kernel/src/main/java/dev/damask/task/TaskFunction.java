package dev.damask.task;

/// The code of a task that runs inside the machine: a pure function of its context.
///
/// It may be called from any thread but never by two at once for one case, and never again once its
/// result has been committed. An exception it throws fails the task.
@FunctionalInterface
public interface TaskFunction {
  TaskResult run(Context context);
}
