package dev.damask.value;

import org.jspecify.annotations.Nullable;

/// A request to an external system as data: the handler's type, the payload and the idempotency
/// key.
///
/// @param key the user's idempotency key; null if the engine creates one from the effect's id
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
