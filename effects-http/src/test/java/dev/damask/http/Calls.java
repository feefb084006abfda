package dev.damask.http;

import dev.damask.effect.EffectCall;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.Map;

/// Calls as an engine makes them.
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
