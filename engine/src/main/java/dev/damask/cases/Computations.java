package dev.damask.cases;

import dev.damask.effect.Computation;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectIntent;
import dev.damask.event.EffectRequest;
import dev.damask.intake.OpenEffects;
import dev.damask.task.Delivery;
import dev.damask.value.Context;
import java.util.Objects;

/// Starts task functions that run outside of their shard, and knows which results still count.
final class Computations {
  /// Starts the function of a task once the wait for it is durable. Between two attempts and while
  /// the engine closes nothing starts: the stored case still waits for its function.
  void begin(LiveCase live, EffectRequest request, boolean isClosing) {
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

  /// Whether a result is that of a computation that nobody waits for any more. Unlike the late
  /// result of an effect it leaves no trace: nothing has happened outside.
  static boolean isStale(LiveCase live, EffectCall call) {
    EffectIntent intent = live.intents.get(call.id());
    return call.type().equals(Computation.TYPE)
        && (intent == null
            || !OpenEffects.isComputation(intent)
            || intent.attempt() != call.attempt());
  }
}
