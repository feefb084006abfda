package dev.damask.effect;

import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;

/// One call of a handler: everything it may know. Secrets are filled in here and nowhere else.
///
/// @param key the idempotency key; the same for every attempt and after every crash
/// @param with the payload, secrets filled in
/// @param context what the task started with
public record EffectCall(
    String caseId,
    EffectId id,
    String task,
    String type,
    String key,
    int attempt,
    Delivery delivery,
    Context with,
    Context context) {
  /// The same call with another payload.
  public EffectCall withPayload(Context changed) {
    return new EffectCall(caseId, id, task, type, key, attempt, delivery, changed, context);
  }

  /// Without the payload, which may hold secrets.
  @Override
  public String toString() {
    return "%s of task %s in case %s, attempt %d".formatted(type, task, caseId, attempt);
  }
}
