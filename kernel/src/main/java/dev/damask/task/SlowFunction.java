package dev.damask.task;

import dev.damask.value.Context;
import dev.damask.value.TaskResult;
import java.util.List;

/// A task function that may take long.
record SlowFunction(TaskFunction function) implements TaskFunction {
  @Override
  public TaskResult run(Context context) {
    return function.run(context);
  }

  @Override
  public List<String> writtenKeys() {
    return function.writtenKeys();
  }

  @Override
  public boolean isSlow() {
    return true;
  }
}
