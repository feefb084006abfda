package dev.damask.intake;

import dev.damask.caller.CaseReply;
import dev.damask.cluster.CaseMessage;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.task.RetryHint;
import dev.damask.value.Context;
import java.util.concurrent.CompletableFuture;

/// The results of calls as messages to the case.
final class ReportMessages {
  private ReportMessages() {}

  static Context body(EffectCall call, EffectResult result) {
    Context about =
        Context.of("effect", call.id().lineage())
            .with("task", call.task())
            .with("attempt", (long) call.attempt())
            .with("type", call.type())
            .with("key", call.key())
            .with("delivery", call.delivery().name())
            .with("with", call.with().toMap());
    return switch (result) {
      case EffectResult.Ok(var context) -> about.with("ok", context.toMap());
      case EffectResult.Same(var origin, var context) ->
          about.with("origin", origin).with("same", context.toMap());
      case EffectResult.Failed(var reason, var detail, var hint) ->
          about
              .with("reason", reason)
              .with("detail", detail)
              .with("permanent", hint.isPermanent())
              .with("after", hint.afterMillis());
      case EffectResult.Parked(var reason, var detail) ->
          about.with("parked", true).with("reason", reason).with("detail", detail);
      case EffectResult.Interrupted() -> about.with("again", true);
      case EffectResult.Wants _, EffectResult.Joined _ ->
          throw new IllegalStateException("only its own node receives " + result);
    };
  }

  static Request.Report request(CaseMessage message, CompletableFuture<CaseReply> reply) {
    Context body = message.body();
    Effect effect =
        new Effect(
            new EffectId((Long) MessageBody.require(body, "effect")),
            MessageBody.text(body, "task"),
            Math.toIntExact((Long) MessageBody.require(body, "attempt")),
            MessageBody.text(body, "type"),
            MessageBody.text(body, "key"));
    EffectCall call =
        new EffectCall(
            message.caseId(),
            effect,
            Delivery.valueOf(MessageBody.text(body, "delivery")),
            MessageBody.context(body, "with"),
            Context.empty());
    EffectResult result =
        body.has("ok")
            ? new EffectResult.Ok(MessageBody.context(body, "ok"))
            : body.has("same")
                ? new EffectResult.Same(
                    MessageBody.text(body, "origin"), MessageBody.context(body, "same"))
                : body.has("again") ? new EffectResult.Interrupted() : failed(body);
    return new Request.Report(call, result, reply);
  }

  private static EffectResult failed(Context body) {
    if (body.has("parked")) {
      return new EffectResult.Parked(
          MessageBody.text(body, "reason"), MessageBody.text(body, "detail"));
    }
    RetryHint hint =
        new RetryHint(
            Boolean.TRUE.equals(body.get("permanent")),
            body.get("after") instanceof Long millis ? millis : 0);
    return new EffectResult.Failed(
        MessageBody.text(body, "reason"), MessageBody.text(body, "detail"), hint);
  }
}
