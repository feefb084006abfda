package dev.damask.task;

import dev.damask.value.Context;
import java.util.List;

/// A template that knows which results its task accepts from callers, workers and operators.
public interface ResultCheck {
  /// Returns what is wrong with a result, one line each; empty if the task accepts it.
  List<String> problems(Context result);
}
