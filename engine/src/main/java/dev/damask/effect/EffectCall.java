package dev.damask.effect;

import dev.damask.nursery.CancelToken;
import dev.damask.task.Delivery;
import dev.damask.value.Context;
import java.time.Instant;
import java.util.Optional;

/// One call of a handler: everything that the handler may know. Secrets are filled in here and
/// nowhere else.
///
/// @param caseId the id of the case
/// @param effect the effect, with its idempotency key and the number of the attempt
/// @param delivery how often a handler may be called
/// @param with the payload, secrets filled in
/// @param context the context that the task started with
/// @param terms the deadline, the cancel token and the store's epoch
public record EffectCall(
    String caseId, Effect effect, Delivery delivery, Context with, Context context, Terms terms)
    implements Effect.Embedded {
  /// The limits of one attempt.
  ///
  /// @param deadline the time at which the attempt is given up: the end of the task's timeout, of
  ///   the limit of its type or of the case's time, whichever comes first; empty without a limit
  /// @param cancelToken a token that is cancelled when the task is cancelled or the engine closes
  /// @param epoch the epoch of the store that holds the intent; a later engine has a larger one
  /// @param traceparent the tracing context that the case was started with, or that a later signal
  ///   had; empty if there is none
  public record Terms(
      Optional<Instant> deadline,
      CancelToken cancelToken,
      long epoch,
      Optional<String> traceparent) {
    /// Returns terms without a tracing context.
    public Terms(Optional<Instant> deadline, CancelToken cancelToken, long epoch) {
      this(deadline, cancelToken, epoch, Optional.empty());
    }

    /// Returns these terms with another cancel token.
    public Terms withToken(CancelToken token) {
      return new Terms(deadline, token, epoch, traceparent);
    }

    /// Returns terms without a deadline, with a token that the caller may cancel.
    public static Terms none() {
      return new Terms(Optional.empty(), CancelToken.create(), 0);
    }
  }

  /// Creates a call without a deadline.
  public EffectCall(
      String caseId, Effect effect, Delivery delivery, Context with, Context context) {
    this(caseId, effect, delivery, with, context, Terms.none());
  }

  /// Returns the same call with another payload.
  public EffectCall withPayload(Context changed) {
    return new EffectCall(caseId, effect, delivery, changed, context, terms);
  }

  /// Returns the same call with a deadline and an epoch.
  public EffectCall withTerms(Terms changed) {
    return new EffectCall(caseId, effect, delivery, with, context, changed);
  }

  /// Returns the time at which the attempt is given up; empty if it may take any time.
  public Optional<Instant> deadline() {
    return terms.deadline();
  }

  /// Returns the W3C tracing context to continue; empty if the case has none.
  public Optional<String> traceparent() {
    return terms.traceparent();
  }

  /// Returns a token that is cancelled when the task is cancelled or the engine closes.
  public CancelToken cancelToken() {
    return terms.cancelToken();
  }

  /// Returns the epoch of the store that holds the intent of this call, for external systems that
  /// fence.
  public long epoch() {
    return terms.epoch();
  }

  /// Returns a description without the payload, which may hold secrets.
  @Override
  public String toString() {
    return "%s of task %s in case %s, attempt %d".formatted(type(), task(), caseId, attempt());
  }
}
