package dev.damask.effect;

import dev.damask.nursery.CancelToken;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.time.Instant;
import java.util.Optional;

/// One call of a handler: everything it may know. Secrets are filled in here and nowhere else.
///
/// @param key the idempotency key; the same for every attempt and after every crash
/// @param with the payload, secrets filled in
/// @param context what the task started with
/// @param terms the deadline, the cancel token and the store's epoch
public record EffectCall(
    String caseId,
    EffectId id,
    String task,
    String type,
    String key,
    int attempt,
    Delivery delivery,
    Context with,
    Context context,
    Terms terms) {
  /// What limits one attempt.
  ///
  /// @param deadline when the attempt is given up: the end of the task's timeout, of the limit of
  ///   its type or of the case's time, whichever comes first; empty when there is none
  /// @param cancelToken is cancelled when the task is cancelled or the engine closes
  /// @param epoch of the store that holds the intent; a later engine on the store has a larger one
  public record Terms(Optional<Instant> deadline, CancelToken cancelToken, long epoch) {
    /// Terms without a deadline, with a token that the caller may cancel.
    public static Terms none() {
      return new Terms(Optional.empty(), CancelToken.create(), 0);
    }
  }

  /// A call without a deadline.
  public EffectCall(
      String caseId,
      EffectId id,
      String task,
      String type,
      String key,
      int attempt,
      Delivery delivery,
      Context with,
      Context context) {
    this(caseId, id, task, type, key, attempt, delivery, with, context, Terms.none());
  }

  /// The same call with another payload.
  public EffectCall withPayload(Context changed) {
    return new EffectCall(caseId, id, task, type, key, attempt, delivery, changed, context, terms);
  }

  /// The same call with a deadline and an epoch.
  public EffectCall withTerms(Terms changed) {
    return new EffectCall(caseId, id, task, type, key, attempt, delivery, with, context, changed);
  }

  /// When the attempt is given up; empty when it may take any time.
  public Optional<Instant> deadline() {
    return terms.deadline();
  }

  /// A token that is cancelled when the task is cancelled or the engine closes.
  public CancelToken cancelToken() {
    return terms.cancelToken();
  }

  /// The epoch of the store that holds the intent of this call, for external systems that fence.
  public long epoch() {
    return terms.epoch();
  }

  /// Without the payload, which may hold secrets.
  @Override
  public String toString() {
    return "%s of task %s in case %s, attempt %d".formatted(type, task, caseId, attempt);
  }
}
