package dev.damask.effect;

import dev.damask.task.Context;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import java.util.Map;

/// Calls of built-in effects, as an engine makes them.
final class Calls {
  private Calls() {}

  static EffectCall of(String type, Map<String, ?> with) {
    return of(type, with, Delivery.KEYED, "case-1:7");
  }

  static EffectCall of(String type, Map<String, ?> with, Delivery delivery, String key) {
    return new EffectCall(
        "case-1",
        new EffectId(7),
        "task",
        type,
        key,
        1,
        delivery,
        Context.from(with),
        Context.empty());
  }
}
