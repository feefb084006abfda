package dev.damask.cases;

import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.family.ChildRequest;
import dev.damask.intake.CaseOwnership;
import dev.damask.intake.Request;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import java.util.Set;

/// How a case that was read from the store continues.
final class Resumption {
  private final CaseRunner runner;
  private final CaseOwnership ownership;

  Resumption(CaseRunner runner, CaseOwnership ownership) {
    this.runner = runner;
    this.ownership = ownership;
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

  /// Takes up some effects and functions of a case that is resumed.
  void takeUp(LiveCase live, Set<EffectId> effects, long now) {
    for (EffectRequest request : live.state.pendingEffects()) {
      if (effects.contains(request.id())) {
        if (request.computes()) {
          runner.compute(live, request, false);
        } else {
          resume(live, request, now);
        }
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

  /// Takes up one effect.
  void resume(LiveCase live, EffectId effect, long now) {
    for (EffectRequest request : live.state.pendingEffects()) {
      if (request.id().equals(effect) && !request.computes()) {
        resume(live, request, now);
      }
    }
  }

  private void resume(LiveCase live, EffectRequest request, long now) {
    EffectIntent intent = live.intents.get(request.id());
    if (intent != null
        && (intent.isHeld() || runner.governor.handler(request, intent.type()) == null)) {
      runner.list(live, request, intent, now);
    }
    if (live.intents.elsewhere().contains(request.id())
        || request.notBefore().isPresent()
        || (intent != null && intent.isHeld())
        || ownership.isCalling(live.id, request.id())) {
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
        // The intent names the node that calls. With the name of one that is gone, the next owner
        // would call a second time while this node still does.
        if (ownership.isShared() || !again.equals(intent)) {
          live.plan(again);
        }
        live.telling.outgoing.add(AfterCommit.Call.of(live, again, request, handler));
      }
    }
  }
}
