package dev.damask.cases;

import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.family.ChildRequest;
import dev.damask.intake.Request;
import dev.damask.task.Delivery;

/// How a case that was read from the store continues.
final class Resumption {
  private final CaseRunner runner;

  Resumption(CaseRunner runner) {
    this.runner = runner;
  }

  /// Takes up the effects of a case that was read from the store: calls again what may be called
  /// again, and gives up what may have been sent and must not be sent twice.
  void resume(LiveCase live, long now) {
    for (EffectRequest request : live.state.pendingEffects()) {
      EffectIntent intent = live.intents.get(request.id());
      if (request.computes()) {
        runner.compute(live, request);
        continue;
      }
      if (request.notBefore().isPresent() || (intent != null && intent.isHeld())) {
        continue;
      }
      if (intent != null && intent.sent() && ChildRequest.isChild(request)) {
        // An engine of an earlier version called a handler that started the child.
        runner.begin(live, request, null, now);
      } else if (intent == null || !intent.sent()) {
        if (intent == null || runner.handler(request, intent.type()) != null) {
          runner.begin(live, request, intent, now);
        }
      } else if (intent.delivery() == Delivery.AT_MOST_ONCE) {
        live.queue.addFirst(
            new Request.GiveUp(
                live.id, intent.id(), Failure.UNKNOWN_OUTCOME, new Receipt.Result.Indeterminate()));
      } else {
        EffectHandler handler = runner.handler(request, intent.type());
        if (handler != null) {
          EffectIntent again = runner.governor.limited(intent, now); // its time begins again
          if (!again.equals(intent)) {
            live.plan(again);
          }
          live.telling.outgoing.add(AfterCommit.Call.of(live, again, request, handler));
        }
      }
    }
  }
}
