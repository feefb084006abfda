package dev.damask.steps;

import dev.damask.effect.Approval;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectIntent.Held;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.effect.WaitingEffect;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.intake.CaseTerms;
import dev.damask.intake.Request;
import dev.damask.script.ScriptRun;
import dev.damask.script.ScriptStep;
import dev.damask.script.StepEnding;
import dev.damask.script.StepHandler;
import dev.damask.task.Delivery;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How open steps of scripts are sent, tried again and ended.
final class StepResults {
  private static final String CANCELLED = "cancelled";

  private final ScriptRuns runs;

  StepResults(ScriptRuns runs) {
    this.runs = runs;
  }

  /// Never early: a part of a millisecond counts as a whole one.
  static long due(@Nullable Duration within, long now) {
    return within == null ? EffectIntent.NEVER : CaseTerms.plus(now, within.plusNanos(999_999));
  }

  /// Calls the handler of a step when its intent is durable.
  void send(OpenStep open, ScriptStep step) {
    LiveScript script = open.script();
    ScriptRun run = script.run;
    EffectIntent intent = open.intent();
    if (runs.isClosing() || run == null || step.handler() == null) {
      open.live().plan(intent);
      return;
    }
    if (open.live().needsPermit(intent, script.request.context(), open.now())) {
      script.called.add(intent.id()); // another run must not queue for a second permit
      return;
    }
    sendNow(open, step, run);
  }

  /// The limit of its type lets a step be sent.
  void admitted(OpenStep open) {
    ScriptStep step = open.script().asked.get(open.intent().id());
    ScriptRun run = open.script().run;
    if (open.intent().pause() == null || runs.isClosing()) {
      return; // a second grant of the same permit
    }
    OpenStep granted = open.with(open.intent().continued());
    if (step == null || run == null) {
      open.script().called.remove(open.intent().id());
      open.live().plan(granted.intent());
      runs.wake(open.live(), open.script());
    } else {
      sendNow(granted, step, run);
    }
  }

  private static void sendNow(OpenStep open, ScriptStep step, ScriptRun run) {
    LiveScript script = open.script();
    EffectIntent intent = open.intent();
    EffectIntent sent =
        open.live().limited(intent.forAttempt(intent.attempt(), true, open.now()), open.now());
    long due = Math.min(sent.dueMillis(), due(step.options().timeout(), open.now()));
    EffectIntent planned = sent.withHeld(sent.held(), due);
    open.live().plan(planned);
    open.live().tell(() -> script.called.add(intent.id()));
    open.live()
        .call(
            planned,
            script.request.context(),
            new StepHandler(run, Objects.requireNonNull(step.handler())),
            Math.min(due, open.live().deadlineMillis()));
  }

  /// A handler has come back.
  void report(OpenStep open, EffectResult result) {
    switch (result) {
      case EffectResult.Ok(var context) -> complete(open, new Receipt.Result.Ok(context), context);
      case EffectResult.Same(var origin, var context) ->
          complete(open, new Receipt.Result.Duplicate(origin, context), context);
      case EffectResult.Failed(var reason, var detail, _) -> {
        if (open.isAtMostOnce() && EffectResult.isUnknown(reason)) {
          giveUp(open, new Receipt.Result.Indeterminate());
        } else {
          failed(open, reason, detail);
        }
      }
      case EffectResult.Parked(var reason, var detail) -> failed(open, reason, detail);
      case EffectResult.Wants _, EffectResult.Interrupted _ -> {}
    }
  }

  void complete(OpenStep open, Receipt.Result receipt, Context result) {
    open.trace(Input.ScriptStep.Kind.COMPLETED, "");
    open.receipt(receipt);
    if (open.intent().userKey() && receipt instanceof Receipt.Result.Ok) {
      open.live().settled(open.intent());
    }
    end(open, new StepEnding.Ok(result));
  }

  void refuse(OpenStep open, String reason, String sentence) {
    giveUp(open, new Receipt.Result.Refused(reason + ": " + sentence));
  }

  /// Fails a step for good.
  void giveUp(OpenStep open, Receipt.Result receipt) {
    open.receipt(receipt);
    StepEnding.Failed outcome = StepEnding.Failed.of(receipt);
    open.trace(Input.ScriptStep.Kind.FAILED, outcome.reason());
    end(open, outcome);
  }

  void end(OpenStep open, StepEnding outcome) {
    LiveScript script = open.script();
    EffectIntent intent = open.intent();
    open.live().drop(intent);
    script.asked.remove(intent.id());
    script.called.remove(intent.id());
    script.endedSince.replace(intent.id(), outcome);
    runs.deliver(open.live(), script, intent.id(), outcome);
  }

  /// An attempt failed; the options of the step say whether there is another one.
  void failed(OpenStep open, String reason, String detail) {
    ScriptStep step = open.script().asked.get(open.intent().id());
    if (step == null && !open.isAtMostOnce()) {
      // Its options come with the script, which asks for it again and so has it called again.
      open.script().called.remove(open.intent().id());
      runs.wake(open.live(), open.script());
      return;
    }
    if (step == null || !isRetried(step.options(), open.intent(), reason)) {
      giveUp(open, new Receipt.Result.Failed(reason, detail));
      return;
    }
    open.receipt(new Receipt.Result.Failed(reason, detail));
    open.script().called.remove(open.intent().id());
    int attempt = open.intent().attempt();
    long entropy = open.intent().id().lineage() + attempt;
    long delay = step.options().retry().delayMillis(attempt, entropy);
    EffectIntent idle = open.intent().withHeld(Held.NOT, EffectIntent.NEVER);
    OpenStep next = open.with(idle.forAttempt(attempt + 1, false, open.now()));
    next.trace(Input.ScriptStep.Kind.RETRIED, "attempt " + next.intent().attempt());
    if (delay > 0) {
      long due = CaseTerms.plus(open.now(), Duration.ofMillis(delay));
      open.live().plan(next.intent().withHeld(Held.FOR_TIME, due));
      runs.held(open.live(), open.script());
    } else {
      send(next, step);
    }
  }

  private static boolean isRetried(TaskOptions options, EffectIntent intent, String reason) {
    Retry retry = options.retry();
    return !Failure.isFinal(reason)
        && intent.attempt() < retry.max()
        && retry.covers(reason)
        && (options.delivery() != Delivery.AT_MOST_ONCE || reason.equals(Failure.NOT_SENT));
  }

  /// The time of a step is up: of a wait, of the delay before an attempt, or of a call.
  void timeUp(OpenStep open) {
    OpenStep idle = open.with(open.intent().withHeld(Held.NOT, EffectIntent.NEVER));
    switch (open.intent().held()) {
      case FOR_DECISION -> undecided(open, idle);
      case FOR_TIME -> {
        if (open.isWait()) {
          complete(open, new Receipt.Result.Ok(Context.empty()), Context.empty());
        } else {
          resume(idle);
        }
      }
      case NOT, APPROVED -> {
        open.live().plan(idle.intent());
        open.live().withdraw(open.intent().id());
        if (open.isAtMostOnce()) {
          giveUp(idle, new Receipt.Result.Indeterminate());
        } else {
          failed(idle, Failure.TIMEOUT, "the step took longer than its limit");
        }
      }
    }
  }

  private void undecided(OpenStep open, OpenStep idle) {
    switch (open.live().timeUp(open.intent())) {
      case WaitingEffect.TimeUp.Done(var result) -> decide(open, result);
      case WaitingEffect.TimeUp.Failed(var reason, var detail) -> {
        open.live().plan(idle.intent());
        failed(idle, reason, detail);
      }
      case WaitingEffect.TimeUp.Withdrawn() -> withdrawn(open);
    }
  }

  /// Sends a step that may be sent now; if its script is out of memory, the script runs again
  /// first.
  private void resume(OpenStep idle) {
    ScriptStep step = idle.script().asked.get(idle.intent().id());
    if (idle.script().run == null || step == null) {
      idle.live().plan(idle.intent());
      runs.wake(idle.live(), idle.script());
    } else {
      send(idle, step);
    }
  }

  /// A person or another system answers.
  void answer(OpenStep open, Request.Verdict verdict) {
    if (open.intent().sent()) {
      open.live().withdraw(open.intent().id());
    }
    switch (verdict) {
      case Request.Verdict.Done(var given) -> {
        String key = open.isAwait() ? ScriptStep.SIGNAL : ScriptStep.VALUE;
        Context result = given.has(key) ? given : Context.of(key, given.toMap());
        complete(open, new Receipt.Result.Ok(result), result);
      }
      case Request.Verdict.Failed(var reason, var detail) -> failed(open, reason, detail);
      case Request.Verdict.Decided(var isApproved, var by) ->
          decide(open, Approval.decision(isApproved, by));
      case Request.Verdict.Withdrawn() -> withdrawn(open);
      case Request.Verdict.Retried _,
          Request.Verdict.Skipped _,
          Request.Verdict.GivenUp _ -> {} // a step is never an incident, its script is
    }
  }

  private void withdrawn(OpenStep open) {
    giveUp(open, new Receipt.Result.Failed(CANCELLED, "the step was cancelled"));
  }

  private void decide(OpenStep open, Context decision) {
    String by = String.valueOf(decision.get("by"));
    if (!Boolean.TRUE.equals(decision.get("approved"))) {
      refuse(open, Failure.REJECTED, "rejected by " + by);
      return;
    }
    open.receipt(new Receipt.Result.Approved(by));
    resume(open.with(open.intent().withHeld(Held.APPROVED, EffectIntent.NEVER)));
  }
}
