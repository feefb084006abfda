package dev.damask.cases;

import dev.damask.caller.Actor;
import dev.damask.effect.Approval;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Pause;
import dev.damask.effect.Receipt;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.TokenId;
import dev.damask.exec.ExecState;
import dev.damask.intake.AuditedReply;
import dev.damask.intake.Request;
import dev.damask.ops.TaskClaim;
import dev.damask.ops.TaskClaims;
import dev.damask.steps.LiveScript;
import dev.damask.steps.OpenStep;
import dev.damask.store.RowChange;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What happens to a case when a caller, a worker, an approver or an operator answers one of its
/// tasks, and when the machine has parked a task, which becomes an incident.
final class TaskAnswers {
  private static final String TIMED_OUT = "the attempt timed out";

  private final CaseRunner runner;
  private final TaskClaims claims;

  TaskAnswers(CaseRunner runner, TaskClaims claims) {
    this.runner = runner;
    this.claims = claims;
  }

  /// Whether an answer is that of a worker that no longer holds the task.
  boolean isLate(LiveCase live, Request.Answer answer, long now) {
    String id = answer.claim();
    if (id == null) {
      return false;
    }
    TaskClaim held = claims.find(live.id, answer.effect()).orElse(null);
    EffectIntent intent = live.intents.get(answer.effect());
    boolean isLost = answer.verdict() instanceof Request.Verdict.Lost;
    return held == null
        || intent == null
        || !held.id().equals(id)
        || held.attempt() != intent.attempt()
        || held.isLiving(now) == isLost;
  }

  /// An answer whose decider is the actor that it comes from, whatever it says itself. Without an
  /// actor the caller of the engine is trusted to name the decider.
  static Request.Answer decided(LiveCase live, Request.Answer answer) {
    Actor actor = AuditedReply.actor(answer.reply());
    EffectIntent intent = live.intents.get(answer.effect());
    if (actor == null || intent == null) {
      return answer;
    }
    boolean isApproval = intent.type().equals(Approval.TYPE);
    String by = actor.name();
    Request.Verdict verdict =
        switch (answer.verdict()) {
          case Request.Verdict.Done(var result) when isApproval ->
              new Request.Verdict.Done(result.with("by", by));
          case Request.Verdict.Skipped(var result) when isApproval ->
              new Request.Verdict.Skipped(result.with("by", by));
          case Request.Verdict.Decided(var isApproved, _) ->
              new Request.Verdict.Decided(isApproved, by);
          case Request.Verdict same -> same;
        };
    return new Request.Answer(live.id, answer.effect(), verdict, answer.claim(), answer.reply());
  }

  void accept(LiveCase live, Request.Answer given, long now) {
    Request.Answer answer = decided(live, given);
    Actor actor = AuditedReply.actor(answer.reply());
    EffectIntent intent = live.intents.get(answer.effect());
    if (isLate(live, answer, now)) {
      CaseRunner.tell(live, answer.reply(), late(live));
      return;
    }
    if (answer.claim() != null) {
      Children.write(live, new RowChange.Remove(TaskClaim.key(live.id, answer.effect())));
    }
    if (intent != null
        && !runner.governor.accepts(intent, answer.verdict(), actor == null ? "" : actor.name())) {
      CaseRunner.tell(live, answer.reply(), Reply.REJECTED);
      return;
    }
    OpenStep step = runner.scripts.open(runner.scripted(live), intent, now);
    if (step != null) {
      Reply accepted = runner.scripts.answer(step, answer.verdict());
      CaseRunner.tell(live, answer.reply(), accepted);
      return;
    }
    Reply reply = reply(live, intent, answer, now);
    boolean isRetry = answer.verdict() instanceof Request.Verdict.Retried;
    if (intent != null && reply == Reply.ACCEPTED && !isRetry) {
      // A caller has answered before the handler or the child.
      if (intent.sent()) {
        live.telling.outgoing.add(new AfterCommit.Withdrawal(live.id, intent.id()));
      }
      runner.children.withdrawn(live, intent);
    }
    CaseRunner.tell(live, answer.reply(), reply);
  }

  private Reply reply(
      LiveCase live, @Nullable EffectIntent intent, Request.Answer answer, long now) {
    EffectIntent incident = intent != null && intent.incident().isPresent() ? intent : null;
    return switch (answer.verdict()) {
      case Request.Verdict.Done(var context) -> {
        Receipt.Body body =
            intent == null
                ? runner.past.known(live.id, live.receipts, answer.effect())
                : intent.receipt();
        Receipt.Result receipt = new Receipt.Result.Ok(context);
        yield runner.done(live, answer.effect(), context, receipt, body, now);
      }
      case Request.Verdict.Failed(var reason, _) when incident != null ->
          end(live, incident, reason, now);
      case Request.Verdict.Failed(var reason, var detail) ->
          intent == null || live.isBetweenAttempts(intent)
              ? runner.apply(live, new Input.TaskFailed(CaseRunner.NO_TOKEN, reason, detail), now)
              : runner.failed(live, intent, reason, detail, now);
      case Request.Verdict.Decided(var isApproved, var by) ->
          intent == null
              ? late(live)
              : runner.decide(live, intent, Approval.decision(isApproved, by), now);
      case Request.Verdict.Withdrawn() ->
          runner.apply(live, new Input.CancelTask(token(intent)), now);
      case Request.Verdict.Retried() ->
          incident != null || (intent != null && live.isBetweenAttempts(intent))
              ? runner.apply(live, new Input.TaskRetried(token(intent)), now)
              : late(live);
      case Request.Verdict.Skipped(var result) ->
          incident != null ? skip(live, incident, result, now) : late(live);
      case Request.Verdict.Lost() -> {
        if (intent == null) {
          yield late(live);
        }
        live.receipt(intent, now, new Receipt.Result.Indeterminate());
        String detail = "the lease of its worker ended";
        runner.giveUp(live, intent, Failure.UNKNOWN_OUTCOME, detail, now);
        yield Reply.ACCEPTED;
      }
      case Request.Verdict.GivenUp(var reason) ->
          incident != null ? end(live, incident, reason, now) : late(live);
    };
  }

  private static TokenId token(@Nullable EffectIntent intent) {
    return intent == null ? CaseRunner.NO_TOKEN : new TokenId(intent.token());
  }

  private static Reply late(LiveCase live) {
    return live.state.isDone() ? Reply.CASE_ENDED : Reply.LATE;
  }

  private Reply skip(LiveCase live, EffectIntent intent, Context result, long now) {
    Receipt.Result receipt = new Receipt.Result.Ok(result);
    LiveScript script = live.scripts.get(intent.id());
    if (script != null) { // the result of a script is its whole context
      Context whole = script.request.context().withAll(result);
      return runner.done(live, intent.id(), whole, receipt, intent.receipt(), now);
    }
    return runner.done(live, intent.id(), result, receipt, intent.receipt(), now);
  }

  /// Fails a task that is an incident, for the reason that the operator has or that it had.
  private Reply end(LiveCase live, EffectIntent intent, String reason, long now) {
    Pause.Incident incident = intent.incident().orElseThrow();
    String why = reason.isEmpty() ? incident.reason() : reason;
    live.receipt(intent, now, new Receipt.Result.Failed(why, incident.detail()));
    runner.giveUp(live, intent, why, incident.detail(), now);
    return Reply.ACCEPTED;
  }

  /// Whether a task still waits for the attempt that a call is. A task that is an incident waits
  /// for an operator, and a failure that comes late does not end it.
  static boolean isAwaited(@Nullable EffectIntent intent, EffectCall call) {
    return intent != null && intent.attempt() == call.attempt() && intent.pause() == null;
  }

  /// Notes the tasks that have become incidents; false if the task of an intent is none of them.
  ///
  /// @param detail what its handler reported
  static boolean note(LiveCase live, EffectIntent known, String detail, long now) {
    boolean isNoted = false;
    for (ExecState.Parked parked : live.state.takeParked()) {
      boolean isKnown = parked.request().id().equals(known.id());
      isNoted |= isKnown;
      park(live, parked, isKnown ? known : null, isKnown ? detail : TIMED_OUT, now);
    }
    return isNoted;
  }

  /// Notes the tasks that have become incidents because their attempts timed out.
  ///
  /// @param stopped the intents of tasks whose calls were interrupted
  static void note(LiveCase live, Map<EffectId, EffectIntent> stopped, long now) {
    for (ExecState.Parked parked : live.state.takeParked()) {
      park(live, parked, stopped.get(parked.request().id()), TIMED_OUT, now);
    }
  }

  private static void park(
      LiveCase live,
      ExecState.Parked parked,
      @Nullable EffectIntent known,
      String detail,
      long now) {
    EffectIntent intent = known == null ? live.intents.get(parked.request().id()) : known;
    EffectIntent planned = intent == null ? EffectPolicy.unplanned(live, parked.request()) : intent;
    Pause.Incident incident =
        new Pause.Incident(now, parked.request().address().toString(), parked.reason(), detail);
    live.plan(planned.parked(incident));
  }
}
