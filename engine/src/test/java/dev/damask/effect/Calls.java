package dev.damask.effect;

import dev.damask.task.Context;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
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
