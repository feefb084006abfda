package dev.damask.effect;

import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.Map;

/// Calls as an engine makes them.
final class Calls {
  private Calls() {}

  /// One of many calls of a type, with a key.
  static EffectCall of(String caseId, int number, String key) {
    return new EffectCall(
        caseId,
        new Effect(new EffectId(number), "A", 1, "type", key),
        Delivery.KEYED,
        Context.empty(),
        Context.empty());
  }

  static EffectCall of(String type, Map<String, ?> with) {
    return new EffectCall(
        "case-1",
        new Effect(new EffectId(7), "task", 1, type, "case-1:7"),
        Delivery.KEYED,
        Context.from(with),
        Context.empty());
  }
}
