package dev.damask.intake;

import dev.damask.caller.Actor;
import dev.damask.caller.CaseOrigin;
import dev.damask.cluster.CaseMessage;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.value.Context;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The messages of operators to cases of other nodes. The words are stored in the inbox of a
/// cluster, see `docs/stored-words.md`.
final class OperatorMessages {
  static final String CHANGE_DATA = "changeData";
  private static final String ACTING = "acting";
  private static final String PAUSE = "pause";
  private static final String RESUME = "resume";
  private static final String COPY = "copy";
  private static final String DELETE = "delete";

  private OperatorMessages() {}

  /// Returns a message on behalf of an actor.
  static CaseMessage acting(CaseMessage message, Actor actor) {
    Context body =
        Context.of("reason", actor.reason())
            .with("kind", message.kind())
            .with("name", message.name())
            .with("body", message.body().toMap());
    if (actor.revision().isPresent()) {
      body = body.with("revision", actor.revision().getAsLong());
    }
    return new CaseMessage(
        message.caseId(), message.messageId(), ACTING, actor.name(), body, false);
  }

  /// Returns on whose behalf a message was sent; null if it has no actor.
  static @Nullable Actor actor(CaseMessage message) {
    if (!message.kind().equals(ACTING) || message.isPlain()) {
      return null;
    }
    Actor actor = new Actor(message.name(), MessageBody.text(message.body(), "reason"));
    return message.body().get("revision") instanceof Long wanted ? actor.onlyAt(wanted) : actor;
  }

  /// Returns the message without its actor.
  static CaseMessage inner(CaseMessage message) {
    Context body = message.body();
    return actor(message) == null
        ? message
        : new CaseMessage(
            message.caseId(),
            message.messageId(),
            MessageBody.text(body, "kind"),
            MessageBody.text(body, "name"),
            MessageBody.context(body, "body"),
            false);
  }

  static CaseMessage of(Request.PauseCase pause, String messageId) {
    return message(pause, messageId, PAUSE, Context.of("reason", pause.reason()));
  }

  static CaseMessage of(Request.ResumeCase resume, String messageId) {
    return message(resume, messageId, RESUME, Context.empty());
  }

  static CaseMessage of(Request.CopyCase copy, String messageId) {
    CaseOrigin origin = copy.origin();
    return message(
        copy,
        messageId,
        COPY,
        Context.of("case", origin.caseId()).with("position", origin.position()));
  }

  static CaseMessage of(Request request, String messageId, Input.ChangeData change) {
    return message(
        request,
        messageId,
        CHANGE_DATA,
        Context.of("token", (long) change.token().number())
            .with("values", change.values().toMap())
            .with("reason", change.reason()));
  }

  /// Null if only retention asks for it, which each node does for its own cases.
  static @Nullable CaseMessage of(Request.Remove remove, String messageId) {
    return remove.endedBefore() == Long.MAX_VALUE
        ? message(remove, messageId, DELETE, Context.empty())
        : null;
  }

  private static CaseMessage message(Request request, String messageId, String kind, Context body) {
    return new CaseMessage(request.caseId(), messageId, kind, "", body, false);
  }

  /// Returns the request of a message. Throws `IllegalArgumentException` if no version before this
  /// one has such messages.
  static Request request(CaseMessage message, CompletableFuture<Object> reply) {
    String id = message.caseId();
    Context body = message.body();
    return switch (message.kind()) {
      case PAUSE ->
          new Request.PauseCase(id, MessageBody.text(body, "reason"), CaseMessages.as(reply));
      case RESUME -> new Request.ResumeCase(id, CaseMessages.as(reply));
      case COPY ->
          new Request.CopyCase(
              id,
              new CaseOrigin(
                  MessageBody.text(body, "case"), (Long) MessageBody.require(body, "position")),
              CaseMessages.as(reply));
      case CHANGE_DATA ->
          CaseMessages.feed(
              message,
              new Input.ChangeData(
                  new TokenId(Math.toIntExact((Long) MessageBody.require(body, "token"))),
                  MessageBody.context(body, "values"),
                  MessageBody.text(body, "reason")),
              CaseMessages.as(reply));
      case DELETE -> new Request.Remove(id, Long.MAX_VALUE, false, CaseMessages.as(reply));
      default -> throw new IllegalArgumentException("unknown kind of message: " + message.kind());
    };
  }
}
