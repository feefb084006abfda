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
        new EffectId(number),
        "A",
        "type",
        key,
        1,
        Delivery.KEYED,
        Context.empty(),
        Context.empty());
  }

  static EffectCall of(String type, Map<String, ?> with) {
    return new EffectCall(
        "case-1",
        new EffectId(7),
        "task",
        type,
        "case-1:7",
        1,
        Delivery.KEYED,
        Context.from(with),
        Context.empty());
  }
}
