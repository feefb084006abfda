package dev.damask.task;

import dev.damask.value.Context;
import dev.damask.value.EffectSpec;

/// Makes the request of a task from the context the task starts with.
@FunctionalInterface
public interface EffectTemplate {
  EffectSpec specFor(Context context);

  /// The type of every request it makes; empty when that depends on the context.
  default String type() {
    return "";
  }

  default String text() {
    return "";
  }
}
