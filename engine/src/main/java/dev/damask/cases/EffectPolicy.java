package dev.damask.cases;

import dev.damask.caller.CaseBudget;
import dev.damask.effect.Approval;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectIntent.Held;
import dev.damask.effect.WaitingEffect;
import dev.damask.effect.WaitingEffect.TimeUp;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.family.ChildRequest;
import dev.damask.intake.CaseTerms;
import dev.damask.intake.OpenEffects;
import dev.damask.intake.Request;
import dev.damask.task.Delivery;
import dev.damask.task.Expression;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Decides what an effect may do: whether its type is allowed at its place, whether the budget of
/// its case has room for it, and whether it needs an approval first.
final class EffectPolicy {
  private final EngineOptions options;

  EffectPolicy(EngineOptions options) {
    this.options = options;
  }

  /// Why an effect must not be sent: a word for the workflow and a sentence for people.
  record Refusal(String reason, String sentence) {}

  /// Returns the intent of an attempt. Returns null, and gives the task up, if its request cannot
  /// be created or an at-most-once effect would be sent again.
  ///
  /// @param known the intent of an earlier attempt; null for the first
  @Nullable EffectIntent intent(
      LiveCase live,
      EffectRequest request,
      @Nullable EffectIntent known,
      Children children,
      long now) {
    EffectIntent intent;
    try {
      ChildRequest child = children.request(live, request, known);
      intent =
          child != null
              ? child.intent(request, known)
              : known == null
                  ? plan(live, request)
                  : known.continued().forToken(request.token().number());
      // The time of a decision or a sleep begins with its attempt.
      boolean hasMethod = request.task().handler() != null;
      intent = request.notBefore().isEmpty() ? hold(intent, hasMethod, now) : intent;
    } catch (EffectException e) {
      return givenUp(live, unplanned(live, request), e.reason(), String.valueOf(e.getMessage()));
    } catch (RuntimeException e) { // from the user's template or key
      String sentence = "its request cannot be created: " + e;
      return givenUp(live, unplanned(live, request), Failure.EXPRESSION, sentence);
    }
    return intent.unknown()
        ? givenUp(
            live, intent, Failure.UNKNOWN_OUTCOME, "an effect of at most once is not sent again")
        : intent;
  }

  private static @Nullable EffectIntent givenUp(
      LiveCase live, EffectIntent intent, String reason, String sentence) {
    live.plan(intent);
    live.giveUp(intent, reason, sentence);
    return null;
  }

  /// The plan for an effect that was never tried before. What its template or key throws is for the
  /// caller.
  static EffectIntent plan(LiveCase live, EffectRequest request) {
    EffectSpec spec = request.spec();
    Expression expression = request.task().options().key();
    Object key = expression == null ? spec.key() : expression.value(request.context());
    String name = key == null ? live.id + ":" + request.id() : Bounds.requireKey(key.toString());
    return EffectIntent.of(
        effect(request, spec.type(), name),
        request.token().number(),
        key != null,
        request.task().options().delivery(),
        spec.with());
  }

  /// The plan of an effect whose template or key has failed: it only exists to be refused.
  static EffectIntent unplanned(LiveCase live, EffectRequest request) {
    Effect effect = effect(request, "refused", live.id + ":" + request.id());
    int token = request.token().number();
    return EffectIntent.of(effect, token, false, Delivery.READ, Context.empty());
  }

  private static Effect effect(EffectRequest request, String type, String key) {
    return new Effect(request.id(), request.task().name(), request.attempt(), type, key);
  }

  /// Null when it may be sent.
  @Nullable Refusal refusal(LiveCase live, EffectRequest request, String type, long now) {
    List<String> scopes = request.allow();
    if (scopes != null && !scopes.contains(type)) {
      return new Refusal(
          Failure.NOT_ALLOWED, "its scope allows " + scopes + " and not effects of type " + type);
    }
    Optional<List<String>> own = live.terms.options().allow();
    if (own.isPresent() && !own.get().contains(type)) {
      return new Refusal(
          Failure.NOT_ALLOWED, "its case allows " + own.get() + " and not effects of type " + type);
    }
    return request.undoes() ? null : overspent(live, request, now);
  }

  private static @Nullable Refusal overspent(LiveCase live, EffectRequest request, long now) {
    CaseBudget budget = live.terms.options().budget();
    if (budget.effects().isPresent() && live.terms.effects() >= budget.effects().getAsLong()) {
      return new Refusal(
          Failure.BUDGET,
          "the case may start " + budget.effects().getAsLong() + " effects, all are used up");
    }
    if (budget.time().isPresent()
        && now >= CaseTerms.plus(live.startedMillis, budget.time().get())) {
      return new Refusal(
          Failure.BUDGET, "the case may start effects for " + budget.time().get() + ", it is over");
    }
    BigDecimal cost = live.terms.cost().add(request.task().options().cost());
    if (budget.cost().isPresent() && cost.compareTo(budget.cost().get()) > 0) {
      return new Refusal(
          Failure.BUDGET,
          "the effects of the case may cost %s, with this one they would cost %s"
              .formatted(budget.cost().get().toPlainString(), cost.toPlainString()));
    }
    return null;
  }

  /// The approvers that must decide about an effect; empty when none is needed. `EffectException`
  /// when a task asks for an approval that makes no sense.
  Optional<Approval> approval(EffectIntent intent) throws EffectException {
    return intent.type().equals(Approval.TYPE) && !options.handlers().containsKey(Approval.TYPE)
        ? Optional.of(Approval.of(intent.with()))
        : options.approval(intent.type());
  }

  /// Whether a task accepts an answer. Only its function has the result of a computation. A task
  /// that waits for a decision accepts one by its approvers, whichever way it comes: as a decision,
  /// as the result of an approval, or as its failure; also between two attempts, and while the task
  /// is an incident, which an operator then neither skips nor fails. An effect that needs an
  /// approval has no result before it is approved. Whoever may cancel the case may also cancel the
  /// task.
  ///
  /// @param actor on whose behalf the answer comes; empty if that is not known
  boolean accepts(EffectIntent intent, Request.Verdict verdict, String actor) {
    boolean isUndecided = isUndecided(intent);
    return switch (verdict) {
      case Request.Verdict.Withdrawn() -> true;
      case Request.Verdict _ when OpenEffects.isComputation(intent) -> false;
      case Request.Verdict.Decided(_, var by) ->
          intent.held() == Held.FOR_DECISION && mayDecide(intent, by);
      case Request.Verdict.Done(var result) -> !isUndecided || isDecision(intent, result);
      case Request.Verdict.Skipped(var result) -> !isUndecided || isDecision(intent, result);
      case Request.Verdict.Failed _, Request.Verdict.GivenUp _ ->
          !isUndecided || mayDecide(intent, actor);
      case Request.Verdict.Retried(), Request.Verdict.Lost() -> true;
    };
  }

  private boolean isDecision(EffectIntent intent, Context result) {
    return intent.type().equals(Approval.TYPE)
        && mayDecide(intent, result.get("by") instanceof String by ? by : "");
  }

  /// Whether an effect needs a decision that no approver has made. Between two attempts it is not
  /// held.
  boolean isUndecided(EffectIntent intent) {
    return intent.held() == Held.FOR_DECISION
        || (intent.held() == Held.NOT && !intent.sent() && needsApproval(intent));
  }

  private boolean needsApproval(EffectIntent intent) {
    try {
      return !OpenEffects.isComputation(intent) && approval(intent).isPresent();
    } catch (EffectException e) {
      return false;
    }
  }

  /// An engine that was opened without the approval that holds the effect cannot tell who decides.
  private boolean mayDecide(EffectIntent intent, String by) {
    try {
      Approval approval = approval(intent).orElse(null);
      return approval != null
          && (approval.approvers().isEmpty() || approval.approvers().contains(by));
    } catch (EffectException e) {
      return false;
    }
  }

  /// The intent as it waits for its decision or its time, or as it was when it can be sent.
  ///
  /// @param hasMethod whether the task brings the method that performs it, whatever its type is
  EffectIntent hold(EffectIntent intent, boolean hasMethod, long now) throws EffectException {
    if (intent.held() != Held.NOT) {
      return intent;
    }
    Approval approval =
        (hasMethod ? options.approval(intent.type()) : approval(intent)).orElse(null);
    if (approval != null) {
      return intent.withHeld(Held.FOR_DECISION, due(approval.within(), now));
    }
    return !hasMethod && options.handlers().get(intent.type()) instanceof WaitingEffect waiting
        ? intent.withHeld(Held.FOR_TIME, due(waiting.plan(intent.with()).within(), now))
        : intent;
  }

  /// The intent of a call that goes out now, with the time by which it must be back.
  EffectIntent limited(EffectIntent intent, long now) {
    return options
        .timeLimit(intent.type())
        .map(limit -> intent.withHeld(intent.held(), due(Optional.of(limit), now)))
        .orElse(intent);
  }

  /// Never early: a part of a millisecond counts as a whole one.
  private static long due(Optional<Duration> within, long now) {
    return within
        .map(time -> CaseTerms.plus(now, time.plusNanos(999_999)))
        .orElse(EffectIntent.NEVER);
  }

  /// What becomes of an effect whose time is up. What has lost its handler since fails.
  WaitingEffect.TimeUp timeUp(EffectIntent intent) {
    try {
      if (intent.held() == Held.FOR_TIME) {
        return options.handlers().get(intent.type()) instanceof WaitingEffect waiting
            ? waiting.plan(intent.with()).then()
            : new TimeUp.Failed("effect", "no handler is registered for " + intent.type());
      }
      return approval(intent).orElse(Approval.of("")).plan().then();
    } catch (EffectException e) {
      return new TimeUp.Failed(e.reason(), String.valueOf(e.getMessage()));
    }
  }

  /// What performs an effect of a type; null if only a caller or a child can end its task.
  @Nullable EffectHandler handler(EffectRequest request, String type) {
    return ChildRequest.isChild(request)
        ? null
        : request.task().handler() != null
            ? EffectHandler.of(request.task().handler())
            : options.handlers().get(type);
  }
}
