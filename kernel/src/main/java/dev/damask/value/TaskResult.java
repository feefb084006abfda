package dev.damask.value;

/// What a task function returns: the new context itself, a request for an effect, or a failure.
///
/// A [Context] is a result, so the common case, a function from context to context, allocates
/// nothing beyond the context it creates.
public sealed interface TaskResult permits Context, TaskResult.Wants, TaskResult.Failed {
  /// Requests an effect; the task continues with `resume` plus the result of the effect.
  record Wants(EffectSpec effect, Context resume) implements TaskResult, StepResult {}

  /// The task failed. The reason is a short word that handlers compare, the detail is for people.
  record Failed(String reason, String detail) implements TaskResult, StepResult {
    public Failed(String reason) {
      this(reason, "");
    }
  }
}
