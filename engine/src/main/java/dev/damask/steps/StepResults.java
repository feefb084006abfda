package dev.damask.steps;

import dev.damask.effect.Approval;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectIntent.Held;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Pause;
import dev.damask.effect.Receipt;
import dev.damask.effect.WaitingEffect;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.family.ChildCase;
import dev.damask.intake.CaseTerms;
import dev.damask.intake.Request;
import dev.damask.script.ScriptRun;
import dev.damask.script.ScriptStep;
import dev.damask.script.StepEnding;
import dev.damask.script.StepHandler;
import dev.damask.task.Delivery;
import dev.damask.task.OnExhausted;
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
    if (step.handler() instanceof ChildCase child) {
      start(open, child);
      return;
    }
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

  /// Starts the child of a step with the next commit. The step waits for its end.
  private void start(OpenStep open, ChildCase child) {
    try {
      open.live().startChild(open.script().request, open.intent(), child);
    } catch (EffectException e) {
      refuse(open, e.reason(), String.valueOf(e.getMessage()));
      return;
    }
    open.live().plan(open.intent().withHeld(Held.FOR_TIME, EffectIntent.NEVER));
    runs.held(open.live(), open.script());
  }

  /// The limit of its type allows a step to be sent.
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
      case EffectResult.Failed failed -> {
        if (open.intent().incident().isPresent()) {
          return; // a late failure; an operator decides
        }
        if (open.isAtMostOnce() && EffectResult.isUnknown(failed.reason())) {
          unknown(open);
        } else {
          failed(open, failed);
        }
      }
      case EffectResult.Parked(var reason, var detail) ->
          failed(open, new EffectResult.Failed(reason, detail));
      case EffectResult.Wants _, EffectResult.Interrupted _ -> {}
      case EffectResult.Joined(_, var transaction) -> transaction.rollback(); // no step joins
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

  /// An attempt failed; the options of the step decide whether there is another one.
  private void failed(OpenStep open, EffectResult.Failed how) {
    ScriptStep step = open.script().asked.get(open.intent().id());
    Receipt.Result receipt = new Receipt.Result.Failed(how.reason(), how.detail());
    if (how.hint().isPermanent()) {
      giveUp(open, receipt);
      return;
    }
    if (step == null && !open.isAtMostOnce()) {
      // Its options come with the script, which asks for it again and so has it called again.
      open.script().called.remove(open.intent().id());
      runs.wake(open.live(), open.script());
      return;
    }
    if (step == null || !isRetried(step.options(), open.intent(), how.reason())) {
      exhausted(open, receipt);
      return;
    }
    open.receipt(receipt);
    open.script().called.remove(open.intent().id());
    int attempt = open.intent().attempt();
    long entropy = open.intent().id().lineage() + attempt;
    long delay =
        Math.max(step.options().retry().delayMillis(attempt, entropy), how.hint().afterMillis());
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

  /// An at-most-once step may have happened.
  void unknown(OpenStep open) {
    exhausted(open, new Receipt.Result.Indeterminate());
  }

  /// There is no other attempt: the step fails, or becomes an incident. A reason that its retry
  /// excludes is for the script.
  private void exhausted(OpenStep open, Receipt.Result receipt) {
    ScriptStep step = open.script().asked.get(open.intent().id());
    StepEnding.Failed how = StepEnding.Failed.of(receipt);
    boolean parks =
        step != null
            && step.options().onExhausted() == OnExhausted.PARK
            && !step.options().retry().except().contains(how.reason())
            && Failure.isParked(how.reason());
    if (!parks) {
      giveUp(open, receipt);
      return;
    }
    open.receipt(receipt);
    open.script().called.remove(open.intent().id());
    String label = open.intent().task();
    Pause.Incident incident = new Pause.Incident(open.now(), label, how.reason(), how.detail());
    open.live().plan(open.intent().parked(incident));
    runs.held(open.live(), open.script());
  }

  /// An operator has repaired the cause of an incident: one more attempt.
  private void retried(OpenStep open) {
    EffectIntent next = open.intent().continued();
    OpenStep again = open.with(next.forAttempt(next.attempt() + 1, false, open.now()));
    again.trace(Input.ScriptStep.Kind.RETRIED, "attempt " + again.intent().attempt());
    resume(again);
  }

  /// Fails an incident, for the reason that the operator has or that it had.
  private void giveUp(OpenStep open, String reason) {
    Pause.Incident incident = open.intent().incident().orElseThrow();
    String why = reason.isEmpty() ? incident.reason() : reason;
    giveUp(open, new Receipt.Result.Failed(why, incident.detail()));
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
          unknown(idle);
        } else {
          failed(
              idle,
              new EffectResult.Failed(Failure.TIMEOUT, "the step took longer than its limit"));
        }
      }
    }
  }

  private void undecided(OpenStep open, OpenStep idle) {
    switch (open.live().timeUp(open.intent())) {
      case WaitingEffect.TimeUp.Done(var result) -> decide(open, result);
      case WaitingEffect.TimeUp.Failed(var reason, var detail) -> {
        open.live().plan(idle.intent());
        failed(idle, new EffectResult.Failed(reason, detail));
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
  Reply answer(OpenStep open, Request.Verdict verdict) {
    boolean isIncident = open.intent().incident().isPresent();
    if (open.intent().sent()) {
      open.live().withdraw(open.intent().id());
    }
    open.live().cancelChild(open.intent());
    switch (verdict) {
      case Request.Verdict.Done(var given) -> done(open, given);
      case Request.Verdict.Failed(var reason, _) when isIncident -> giveUp(open, reason);
      case Request.Verdict.Failed(var reason, var detail) ->
          failed(open, new EffectResult.Failed(reason, detail));
      case Request.Verdict.Decided(var isApproved, var by) ->
          decide(open, Approval.decision(isApproved, by));
      case Request.Verdict.Withdrawn() -> withdrawn(open);
      case Request.Verdict.Retried() when isIncident -> retried(open);
      case Request.Verdict.Skipped(var result) when isIncident -> done(open, result);
      case Request.Verdict.GivenUp(var reason) when isIncident -> giveUp(open, reason);
      case Request.Verdict.Retried _, Request.Verdict.Skipped _, Request.Verdict.GivenUp _ -> {
        return Reply.LATE;
      }
      case Request.Verdict.Lost() -> {} // no worker claims a step
    }
    return Reply.ACCEPTED;
  }

  private void done(OpenStep open, Context given) {
    String key = open.isAwait() ? ScriptStep.SIGNAL : ScriptStep.VALUE;
    Context result = given.has(key) ? given : Context.of(key, given.toMap());
    complete(open, new Receipt.Result.Ok(result), result);
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
