package dev.damask.cases;

import dev.damask.effect.Computation;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.intake.OpenEffects;
import dev.damask.task.Delivery;
import dev.damask.value.Context;
import java.util.Objects;

/// What happens to a case when a handler or a function has come back. Starts the functions that run
/// outside of their shard, and knows which of their results still count.
final class CallReports {
  private final CaseRunner runner;

  CallReports(CaseRunner runner) {
    this.runner = runner;
  }

  void accept(LiveCase live, EffectCall call, EffectResult result, long now) {
    EffectIntent intent = live.intents.get(call.id());
    switch (Bounds.of(live, result)) {
      case EffectResult.Ok _ when isStale(live, call) -> {}
      case EffectResult.Ok(var context) -> {
        Receipt.Body about = Receipt.Body.about(call);
        EffectIntent newer = intent != null && !TaskAnswers.isAwaited(intent, call) ? intent : null;
        if (newer != null && newer.userKey()) {
          // Its attempt released the key, so another effect may have used it since.
          live.receipt(about.with(new Receipt.Result.Late(context), now));
          live.isDirty = true;
          return;
        }
        if (newer != null) {
          // A late result of an earlier attempt is the result of the task (ADR 0002).
          live.telling.outgoing.add(new AfterCommit.Withdrawal(live.id, call.id()));
        }
        runner.done(live, call.id(), context, new Receipt.Result.Ok(context), about, now);
      }
      case EffectResult.Same(var origin, var context) -> {
        Receipt.Result receipt = new Receipt.Result.Duplicate(origin, context);
        runner.done(live, call.id(), context, receipt, Receipt.Body.about(call), now);
      }
      case EffectResult.Failed failed -> {
        if (intent != null && TaskAnswers.isAwaited(intent, call)) {
          failed(live, intent, failed, now);
        }
      }
      case EffectResult.Parked(var reason, var detail) -> {
        if (intent != null && TaskAnswers.isAwaited(intent, call)) {
          runner.park(live, intent, reason, detail, now);
        }
      }
      case EffectResult.Wants(var effect, var resume) -> {
        if (intent != null && TaskAnswers.isAwaited(intent, call)) {
          live.drop(intent);
          TokenId token = new TokenId(intent.token());
          runner.apply(live, new Input.TaskWants(token, effect, resume), now);
        }
      }
      case EffectResult.Interrupted() -> {
        // Another node called it in a transaction, which ended when the case moved.
        if (live.intents.elsewhere().remove(call.id()) && TaskAnswers.isAwaited(intent, call)) {
          runner.resume(live, call.id(), now);
        }
      }
      case EffectResult.Joined _ ->
          throw new IllegalStateException(call + " is committed in its transaction");
    }
  }

  private void failed(LiveCase live, EffectIntent intent, EffectResult.Failed failed, long now) {
    String reason = failed.reason();
    if (intent.delivery() == Delivery.AT_MOST_ONCE && EffectResult.isUnknown(reason)) {
      live.receipt(intent, now, new Receipt.Result.Indeterminate());
      runner.giveUp(live, intent, Failure.UNKNOWN_OUTCOME, failed.detail(), now);
      return;
    }
    live.receipt(intent, now, new Receipt.Result.Failed(reason, failed.detail()));
    TokenId token = new TokenId(intent.token());
    Input.TaskFailed input = new Input.TaskFailed(token, reason, failed.detail(), failed.hint());
    runner.fail(live, intent, input, now);
  }

  /// Starts the function of a task once the wait for it is durable. Between two attempts and while
  /// the engine closes nothing starts: the stored case still waits for its function.
  void compute(LiveCase live, EffectRequest request, boolean isClosing) {
    Effect effect =
        new Effect(request.id(), request.task().name(), request.attempt(), Computation.TYPE, "");
    int token = request.token().number();
    EffectIntent intent = EffectIntent.of(effect, token, false, Delivery.READ, Context.empty());
    boolean starts = !isClosing && request.notBefore().isEmpty();
    live.compute(starts ? intent.forAttempt(request.attempt(), true, 0) : intent);
    if (starts) {
      live.telling.outgoing.add(
          new AfterCommit.Compute(
              intent.call(live.id, request.context()),
              Objects.requireNonNull(request.task().function())));
    }
  }

  /// Whether a result belongs to a computation that the case no longer waits for. Unlike the late
  /// result of an effect it leaves no trace: nothing has happened outside.
  private static boolean isStale(LiveCase live, EffectCall call) {
    EffectIntent intent = live.intents.get(call.id());
    return call.type().equals(Computation.TYPE)
        && (intent == null
            || !OpenEffects.isComputation(intent)
            || intent.attempt() != call.attempt());
  }
}
