package dev.damask.term;

import dev.damask.value.Key;

/// A typed task that the workflow has no handler for: a person or another program completes it.
///
/// @param name the name of the task, which is also its effect type
/// @param result the context key that holds the result after the task; its type is that of the
///   result
public record ExternalTask<T>(String name, Key<T> result) {
  public ExternalTask {
    Names.require("external task", name);
    if (result.isView()) {
      throw new IllegalArgumentException(
          "external task " + name + ": the result is written to a key, not to the view " + result);
    }
  }

  /// Returns the task with this name whose result is written to a key.
  public static <T> ExternalTask<T> of(String name, Key<T> result) {
    return new ExternalTask<>(name, result);
  }
}
