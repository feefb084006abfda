package dev.damask.cases;

import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.family.ChildRequest;
import dev.damask.intake.Request;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import java.util.Set;
import java.util.function.BiPredicate;

/// How a case that was read from the store continues.
final class Resumption {
  private final CaseRunner runner;
  private final BiPredicate<String, EffectId> isCalled;

  /// @param isCalled whether a call of this node runs that outlived the ownership of its case
  Resumption(CaseRunner runner, BiPredicate<String, EffectId> isCalled) {
    this.runner = runner;
    this.isCalled = isCalled;
  }

  /// Takes up the effects of a case that was read from the store: calls again what may be called
  /// again, and gives up what may have been sent and must not be sent twice.
  void resume(LiveCase live, long now) {
    for (EffectRequest request : live.state.pendingEffects()) {
      if (request.computes()) {
        runner.compute(live, request, false);
      } else {
        resume(live, request, now);
      }
    }
  }

  /// Takes up effects that another node called, which has gone.
  void recall(LiveCase live, Set<EffectId> effects, long now) {
    for (EffectRequest request : live.state.pendingEffects()) {
      if (effects.contains(request.id()) && !request.computes()) {
        resume(live, request, now);
      }
    }
    if (!live.scripts.isEmpty()) {
      runner.scripts.restart(runner.scripted(live)); // they ask for their steps again
    }
  }

  private void resume(LiveCase live, EffectRequest request, long now) {
    EffectIntent intent = live.intents.get(request.id());
    if (live.intents.elsewhere().contains(request.id())
        || request.notBefore().isPresent()
        || (intent != null && intent.isHeld())
        || isCalled.test(live.id, request.id())) {
      return;
    }
    boolean isOnce = intent != null && intent.delivery() == Delivery.AT_MOST_ONCE;
    boolean isSent = intent != null && intent.sent() && !isOnce;
    if (intent != null
        && (intent.pause() != null || isSent)
        && runner.permits.await(live, request, intent)) {
      return;
    }
    if (intent != null && intent.sent() && ChildRequest.isChild(request)) {
      // An engine of an earlier version called a handler that started the child.
      runner.begin(live, request, null, now);
    } else if (intent == null || !intent.sent()) {
      if (intent == null || runner.governor.handler(request, intent.type()) != null) {
        runner.begin(live, request, intent, now);
      }
    } else if (intent.delivery() == Delivery.AT_MOST_ONCE) {
      live.queue.addFirst(
          new Request.GiveUp(
              live.id, intent.id(), Failure.UNKNOWN_OUTCOME, new Receipt.Result.Indeterminate()));
    } else {
      EffectHandler handler = runner.governor.handler(request, intent.type());
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
