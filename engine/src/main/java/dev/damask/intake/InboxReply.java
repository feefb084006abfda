package dev.damask.intake;

import dev.damask.caller.Actor;
import dev.damask.caller.CaseReply;
import dev.damask.caller.StaleRevisionException;
import dev.damask.cluster.CaseMessage;
import dev.damask.store.AppliedMessage;
import dev.damask.store.MessageReply;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// The answer to a message of the inbox. The commit that applies the message stores the reply, see
/// [#applied]; a refusal is passed on.
public final class InboxReply extends CompletableFuture<Object> {
  private final CaseMessage message;
  private final CaseMessage inner;
  private final BiConsumer<CaseMessage, Throwable> refused;

  public InboxReply(CaseMessage message, BiConsumer<CaseMessage, Throwable> refused) {
    this.message = message;
    this.inner = OperatorMessages.inner(message);
    this.refused = refused;
  }

  /// Returns what the commit stores that applies the message.
  public AppliedMessage applied(Object value) {
    // An input is remembered by its case, or not, see CaseRunner.
    boolean isRemembered = !(value instanceof CaseReply) || !isInput();
    return new AppliedMessage(
        message.caseId(), message.messageId(), CaseMessages.reply(value), isRemembered);
  }

  private boolean isInput() {
    return CaseMessages.isInput(inner.kind());
  }

  /// Returns on whose behalf the message was sent; null if it has no actor.
  @Nullable Actor actor() {
    return OperatorMessages.actor(message);
  }

  /// Returns the message without its actor.
  CaseMessage inner() {
    return inner;
  }

  /// Returns what is stored for a message that was refused.
  public static AppliedMessage refused(CaseMessage message, Throwable why) {
    String detail = String.valueOf(why.getMessage()).replace("\0", "");
    MessageReply reply =
        switch (why) {
          case IllegalArgumentException _ -> new MessageReply(MessageReply.BAD_ARGUMENT, 0, detail);
          case StaleRevisionException stale ->
              new MessageReply(MessageReply.STALE, stale.revision(), detail);
          default -> new MessageReply(MessageReply.BAD_STATE, 0, detail);
        };
    return new AppliedMessage(message.caseId(), message.messageId(), reply, false);
  }

  @Override
  public boolean completeExceptionally(Throwable thrown) {
    boolean isFirst = super.completeExceptionally(thrown);
    if (isFirst) {
      refused.accept(message, thrown);
    }
    return isFirst;
  }
}
