package dev.damask.script;

import dev.damask.value.Context;

/// How a step of a script ended.
public sealed interface StepOutcome {
  /// It has a result.
  record Ok(Context result) implements StepOutcome {}

  /// It failed for good.
  record Failed(String reason, String detail) implements StepOutcome {}

  /// It was cancelled because another item of the same `all` failed.
  record Cancelled() implements StepOutcome {}
}
