package dev.damask.task;

/// What a task function gives back: the new context itself, a wish for an effect, or a failure.
///
/// A [Context] is a result, so the common case, a function from context to context, allocates
/// nothing beyond the context it makes.
public sealed interface TaskResult permits Context, TaskResult.Wants, TaskResult.Failed {
  /// Asks for an effect; the task goes on with `resume` plus the result of the effect.
  record Wants(EffectSpec effect, Context resume) implements TaskResult {}

  /// The task failed. The reason is a short word a handler can look at, the detail is for people.
  record Failed(String reason, String detail) implements TaskResult {
    public Failed(String reason) {
      this(reason, "");
    }
  }
}
