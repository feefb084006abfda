package dev.damask.task;

/// Makes the request of a task from the context the task starts with.
@FunctionalInterface
public interface EffectTemplate {
  EffectSpec specFor(Context context);

  default String text() {
    return "";
  }
}
