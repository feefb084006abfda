package dev.damask.value;

import org.jspecify.annotations.Nullable;

/// A request to the outside as data: which handler, with what, under which idempotency key.
///
/// @param key the user's idempotency key; null lets the engine make one from the effect's id
public record EffectSpec(String type, Context with, @Nullable String key) {
  public EffectSpec {
    if (type.isBlank()) {
      throw new IllegalArgumentException("an effect needs a type");
    }
  }

  /// Returns a request without payload and key.
  public static EffectSpec of(String type) {
    return new EffectSpec(type, Context.empty(), null);
  }
}
