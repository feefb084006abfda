package dev.damask.task;

import dev.damask.value.Context;
import dev.damask.value.EffectSpec;

/// Makes the request of a task from the context the task starts with.
@FunctionalInterface
public interface EffectTemplate {
  /// Returns the request for a context.
  EffectSpec specFor(Context context);

  /// The type of every request it makes; empty when that depends on the context.
  default String type() {
    return "";
  }

  /// Returns the text that stands for the template in listings and the program hash.
  default String text() {
    return "";
  }
}
