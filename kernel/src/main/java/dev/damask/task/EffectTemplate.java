package dev.damask.task;

import dev.damask.value.Context;
import dev.damask.value.EffectSpec;

/// Creates the request of a task from the context in which the task starts.
@FunctionalInterface
public interface EffectTemplate {
  /// Returns the request for a context.
  EffectSpec specFor(Context context);

  /// Returns the type of every request; empty when it depends on the context.
  default String type() {
    return "";
  }

  /// Returns the text that stands for the template in listings and the program hash.
  default String text() {
    return "";
  }

  /// Returns the parameters and the result of the handler with their types, for people; empty if it
  /// has none. It is not part of the program: a handler with another signature continues the cases
  /// that wait, and the engine reports it when it is opened.
  default String signature() {
    return "";
  }
}
