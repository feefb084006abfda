package dev.damask.cases;

import dev.damask.effect.Computation;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectIntent;
import dev.damask.event.EffectRequest;
import dev.damask.task.Delivery;
import dev.damask.value.Context;
import java.util.Objects;

/// Starts task functions that run outside of their shard, and knows which results still count.
final class Computations {
  /// Starts the function of a task once the wait for it is durable. Between two attempts and while
  /// the engine closes nothing starts: the stored case still waits for its function.
  void begin(LiveCase live, EffectRequest request, boolean isClosing) {
    EffectIntent intent =
        new EffectIntent(
            request.id(),
            request.token().number(),
            request.task().name(),
            request.attempt(),
            Computation.TYPE,
            "",
            false,
            Delivery.READ,
            Context.empty(),
            !isClosing && request.notBefore().isEmpty(),
            false,
            EffectIntent.Held.NOT,
            EffectIntent.NEVER);
    live.compute(intent);
    if (intent.sent()) {
      EffectCall call =
          new EffectCall(
              live.id,
              intent.id(),
              intent.task(),
              intent.type(),
              intent.key(),
              intent.attempt(),
              intent.delivery(),
              intent.with(),
              request.context());
      live.telling.outgoing.add(
          new AfterCommit.Compute(call, Objects.requireNonNull(request.task().function())));
    }
  }

  /// Whether a result is that of a computation that nobody waits for any more. Unlike the late
  /// result of an effect it leaves no trace: nothing has happened outside.
  static boolean isStale(LiveCase live, EffectCall call) {
    EffectIntent intent = live.intents.get(call.id());
    return call.type().equals(Computation.TYPE)
        && (intent == null
            || !LiveCase.isComputation(intent)
            || intent.attempt() != call.attempt());
  }
}
