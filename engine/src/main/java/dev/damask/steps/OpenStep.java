package dev.damask.steps;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.script.ScriptStep;
import dev.damask.task.Delivery;

/// A step of a script that has not ended, and the time at which something happens to it.
///
/// @param live the case
/// @param script the script of the case that asked for the step
/// @param intent the intent of the step
/// @param now the time in milliseconds
public record OpenStep(ScriptCase live, LiveScript script, EffectIntent intent, long now) {
  /// The same step with another intent.
  OpenStep with(EffectIntent changed) {
    return new OpenStep(live, script, changed, now);
  }

  boolean isAtMostOnce() {
    return intent.delivery() == Delivery.AT_MOST_ONCE;
  }

  /// Whether it waits for a signal.
  boolean isAwait() {
    return isAwait(intent);
  }

  static boolean isAwait(EffectIntent intent) {
    return intent.step()
        && intent.type().equals(ScriptStep.SIGNAL)
        && intent.with().has(ScriptStep.SIGNAL);
  }

  /// Whether nothing of it is in progress: it waits for a time, a signal, a decision or an
  /// operator.
  public static boolean isIdle(EffectIntent intent) {
    return intent.isHeld() || intent.incident().isPresent();
  }

  /// Whether it only waits.
  boolean isWait() {
    return intent.type().equals(ScriptStep.SLEEP) || isAwait();
  }

  void receipt(Receipt.Result result) {
    live.receipt(intent.receipt(result, now));
  }

  /// Counts and traces what happened to the step.
  void trace(Input.ScriptStep.Kind kind, String detail) {
    TokenId token = new TokenId(intent.token());
    live.apply(new Input.ScriptStep(token, kind, intent.task(), detail), now);
  }

  /// Ends what runs outside for the step, with a receipt.
  void stop() {
    live.retract(intent.id());
    receipt(
        intent.sent() && isAtMostOnce()
            ? new Receipt.Result.Indeterminate()
            : new Receipt.Result.Cancelled());
    if (intent.sent()) {
      live.withdraw(intent.id());
    }
    live.cancelChild(intent);
    script.called.remove(intent.id());
  }
}
