package dev.damask.cases;

import dev.damask.effect.Approval;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Pause;
import dev.damask.effect.Receipt;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.TokenId;
import dev.damask.intake.Request;
import dev.damask.steps.LiveScript;
import dev.damask.steps.OpenStep;
import dev.damask.value.Context;
import org.jspecify.annotations.Nullable;

/// What happens to a case when a caller, an approver or an operator answers one of its tasks.
final class TaskAnswers {
  private final CaseRunner runner;

  TaskAnswers(CaseRunner runner) {
    this.runner = runner;
  }

  void accept(LiveCase live, Request.Answer answer, long now) {
    EffectIntent intent = live.intents.get(answer.effect());
    if (intent != null && !runner.governor.accepts(intent, answer.verdict())) {
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
    if (intent != null && reply == Reply.ACCEPTED) {
      // Somebody else was faster than the handler or the child.
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
            intent == null ? runner.past.known(live, answer.effect()) : intent.receipt();
        Receipt.Result receipt = new Receipt.Result.Ok(context);
        yield runner.done(live, answer.effect(), context, receipt, body, now);
      }
      case Request.Verdict.Failed(var reason, _) when incident != null ->
          end(live, incident, reason, now);
      case Request.Verdict.Failed(var reason, var detail) ->
          intent == null || live.isBetweenAttempts(intent)
              ? runner.apply(live, new Input.TaskFailed(CaseRunner.NOBODY, reason, detail), now)
              : runner.failed(live, intent, reason, detail, now);
      case Request.Verdict.Decided(var isApproved, var by) ->
          intent == null
              ? late(live)
              : runner.decide(live, intent, Approval.decision(isApproved, by), now);
      case Request.Verdict.Withdrawn() ->
          runner.apply(live, new Input.CancelTask(token(intent)), now);
      case Request.Verdict.Retried() ->
          incident != null
              ? runner.apply(live, new Input.TaskRetried(token(incident)), now)
              : late(live);
      case Request.Verdict.Skipped(var result) ->
          incident != null ? skip(live, incident, result, now) : late(live);
      case Request.Verdict.GivenUp(var reason) ->
          incident != null ? end(live, incident, reason, now) : late(live);
    };
  }

  private static TokenId token(@Nullable EffectIntent intent) {
    return intent == null ? CaseRunner.NOBODY : new TokenId(intent.token());
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
}
