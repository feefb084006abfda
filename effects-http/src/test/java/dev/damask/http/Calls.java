package dev.damask.http;

import dev.damask.effect.Effect;
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
    Effect effect = new Effect(new EffectId(7), "task", 1, type, key);
    return new EffectCall("case-1", effect, delivery, Context.from(with), Context.empty());
  }
}
