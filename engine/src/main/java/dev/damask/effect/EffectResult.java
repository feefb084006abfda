package dev.damask.effect;

import dev.damask.task.Context;

/// How one call of a handler ended.
public sealed interface EffectResult {
  /// It gave this result.
  record Ok(Context result) implements EffectResult {}

  /// The attempt failed.
  record Failed(String reason, String detail) implements EffectResult {}

  /// Another effect with the same key had been performed; this is its result.
  ///
  /// @param origin the case and number of the receipt
  record Same(String origin, Context result) implements EffectResult {}

  /// The call was interrupted because its task was withdrawn or the engine closes.
  record Interrupted() implements EffectResult {}
}
