package dev.damask.cases;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectIntent.Held;
import dev.damask.effect.Receipt;
import dev.damask.effect.WaitingEffect;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.steps.OpenStep;
import dev.damask.task.Delivery;

/// What happens to a case when a time is up that the engine itself has set: that of the case, of a
/// decision, of a sleep, of a call or of a step of a script.
final class DueEffects {
  private final CaseRunner runner;

  DueEffects(CaseRunner runner) {
    this.runner = runner;
  }

  /// Handles the first time that is up.
  void expire(LiveCase live, long now) {
    long due = live.engineDue();
    if (live.terms.deadlineMillis() == due) {
      String sentence =
          "the case was to end within " + live.terms.options().deadline().orElseThrow();
      live.terms = live.terms.withoutDeadline();
      runner.apply(live, new Input.Fail(Failure.DEADLINE, sentence), now);
    } else {
      for (EffectIntent intent : live.intents.all()) {
        if (intent.dueMillis() == due) {
          timeUp(live, intent, now);
          break;
        }
      }
    }
  }

  private void timeUp(LiveCase live, EffectIntent intent, long now) {
    OpenStep step = runner.scripts.open(runner.scripted(live), intent, now);
    if (step != null) {
      runner.scripts.timeUp(step);
      return;
    }
    if (!intent.isHeld()) {
      overdue(live, intent, now);
      return;
    }
    switch (runner.governor.timeUp(intent)) {
      case WaitingEffect.TimeUp.Done(var result) -> {
        var _ = runner.decide(live, intent, result, now);
      }
      case WaitingEffect.TimeUp.Failed(var reason, var detail) -> {
        EffectIntent again = intent.withHeld(Held.NOT, EffectIntent.NEVER);
        live.plan(again); // another attempt has its time again
        var _ = runner.failed(live, again, reason, detail, now);
      }
      case WaitingEffect.TimeUp.Withdrawn() ->
          runner.apply(live, new Input.CancelTask(new TokenId(intent.token())), now);
    }
  }

  /// A call has taken longer than its type may.
  private void overdue(LiveCase live, EffectIntent intent, long now) {
    EffectIntent over = intent.withHeld(intent.held(), EffectIntent.NEVER);
    live.plan(over);
    live.telling.outgoing.add(new AfterCommit.Withdrawal(live.id, intent.id()));
    String detail = "an effect of type " + intent.type() + " took longer than its limit";
    if (intent.delivery() == Delivery.AT_MOST_ONCE) {
      live.receipt(over, now, new Receipt.Result.Indeterminate());
      runner.giveUp(live, over, Failure.UNKNOWN_OUTCOME, detail, now);
    } else {
      var _ = runner.failed(live, over, Failure.TIMEOUT, detail, now);
    }
  }
}
