package dev.damask.cases;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.task.Delivery;

/// What happens to a case when a handler has come back.
final class CallReports {
  private final CaseRunner runner;

  CallReports(CaseRunner runner) {
    this.runner = runner;
  }

  void accept(LiveCase live, EffectCall call, EffectResult result, long now) {
    EffectIntent intent = live.intents.get(call.id());
    switch (Bounds.of(live, result)) {
      case EffectResult.Ok _ when Computations.isStale(live, call) -> {}
      case EffectResult.Ok(var context) -> {
        Receipt.Body about = Receipt.Body.about(call);
        EffectIntent newer =
            intent != null && !TaskIncidents.isAwaited(intent, call) ? intent : null;
        if (newer != null && newer.userKey()) {
          // Its attempt gave the key away, so another effect may have used it since.
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
        if (intent != null && TaskIncidents.isAwaited(intent, call)) {
          failed(live, intent, failed, now);
        }
      }
      case EffectResult.Parked(var reason, var detail) -> {
        if (intent != null && TaskIncidents.isAwaited(intent, call)) {
          runner.park(live, intent, reason, detail, now);
        }
      }
      case EffectResult.Wants(var effect, var resume) -> {
        if (intent != null && TaskIncidents.isAwaited(intent, call)) {
          live.drop(intent);
          TokenId token = new TokenId(intent.token());
          runner.apply(live, new Input.TaskWants(token, effect, resume), now);
        }
      }
      case EffectResult.Interrupted() -> {}
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
}
