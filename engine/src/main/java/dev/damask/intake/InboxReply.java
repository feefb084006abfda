package dev.damask.intake;

import dev.damask.caller.CaseReply;
import dev.damask.cluster.CaseMessage;
import dev.damask.store.AppliedMessage;
import dev.damask.store.MessageReply;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/// The answer to a message of the inbox. The commit that applies the message stores the reply, see
/// [#applied]; a refusal is passed on.
public final class InboxReply extends CompletableFuture<Object> {
  private final CaseMessage message;
  private final BiConsumer<CaseMessage, Throwable> refused;

  public InboxReply(CaseMessage message, BiConsumer<CaseMessage, Throwable> refused) {
    this.message = message;
    this.refused = refused;
  }

  /// Returns this future under the type of a request's reply. Nobody reads its value.
  @SuppressWarnings("unchecked")
  public <T> CompletableFuture<T> as() {
    return (CompletableFuture<T>) (CompletableFuture<?>) this;
  }

  /// Returns what the commit stores that applies the message.
  public AppliedMessage applied(Object value) {
    // An input is remembered by its case, or not, see CaseRunner.
    boolean isRemembered = !(value instanceof CaseReply) || !isInput();
    return new AppliedMessage(
        message.caseId(), message.messageId(), CaseMessages.reply(value), isRemembered);
  }

  private boolean isInput() {
    return CaseMessages.isInput(message.kind());
  }

  /// Returns what is stored for a message that was refused.
  public static AppliedMessage refused(CaseMessage message, Throwable why) {
    int answer =
        why instanceof IllegalArgumentException
            ? MessageReply.BAD_ARGUMENT
            : MessageReply.BAD_STATE;
    String detail = String.valueOf(why.getMessage()).replace("\0", "");
    return new AppliedMessage(
        message.caseId(), message.messageId(), new MessageReply(answer, 0, detail), false);
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
