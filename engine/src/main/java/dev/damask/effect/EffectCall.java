package dev.damask.effect;

import dev.damask.task.Delivery;
import dev.damask.value.Context;

/// One call of a handler: everything that the handler may know. Secrets are filled in here and
/// nowhere else.
///
/// @param caseId the id of the case
/// @param effect the effect, with its idempotency key and the number of the attempt
/// @param delivery how often a handler may be called
/// @param with the payload, secrets filled in
/// @param context the context that the task started with
public record EffectCall(
    String caseId, Effect effect, Delivery delivery, Context with, Context context)
    implements Effect.Embedded {
  /// Returns the same call with another payload.
  public EffectCall withPayload(Context changed) {
    return new EffectCall(caseId, effect, delivery, changed, context);
  }

  /// Returns a description without the payload, which may hold secrets.
  @Override
  public String toString() {
    return "%s of task %s in case %s, attempt %d".formatted(type(), task(), caseId, attempt());
  }
}
