package dev.damask.cases;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.exec.Input;
import dev.damask.exec.Mapping;
import dev.damask.exec.Reply;
import dev.damask.program.Program;
import dev.damask.task.Context;
import dev.damask.task.EffectId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What a shard is asked for. A future completes when what it says is durable.
sealed interface Request {
  String caseId();

  /// Whether it is about a case that should be there.
  default boolean needsCase() {
    return !(this instanceof Start || this instanceof Remove || this instanceof Rescan);
  }

  /// Tells whoever waits that it cannot be.
  default void refuse(RuntimeException why) {
    switch (this) {
      case Start start -> start.reply().completeExceptionally(why);
      case Look look -> look.reply().completeExceptionally(why);
      case Await await -> await.reply().completeExceptionally(why);
      case Retry retry -> retry.reply().completeExceptionally(why);
      case Feed feed -> feed.reply().completeExceptionally(why);
      case Answer answer -> answer.reply().completeExceptionally(why);
      case Migrate migrate -> migrate.reply().completeExceptionally(why);
      case Remove remove -> remove.reply().completeExceptionally(why);
      case Rescan rescan -> rescan.reply().completeExceptionally(why);
      case Report _, GiveUp _ -> {}
    }
  }

  /// Makes a case, unless there is one of that id. True when it was made.
  record Start(
      String caseId,
      Program program,
      Context context,
      CaseOptions options,
      CompletableFuture<Boolean> reply)
      implements Request {}

  /// Removes a case that has ended long enough ago, or that is damaged. False when it is neither.
  ///
  /// @param endedBefore keeps what has changed since
  record Remove(
      String caseId, long endedBefore, boolean damagedOnly, CompletableFuture<Boolean> reply)
      implements Request {}

  /// A program has become known: cases that missed it go on.
  record Rescan(CompletableFuture<Boolean> reply) implements Request {
    @Override
    public String caseId() {
      return "";
    }
  }

  /// Says how a case stands.
  record Look(String caseId, CompletableFuture<CaseView> reply) implements Request {}

  /// Waits for the end.
  record Await(String caseId, CompletableFuture<CaseResult> reply) implements Request {}

  /// Releases a quarantined case. False when it was not.
  record Retry(String caseId, CompletableFuture<Boolean> reply) implements Request {}

  /// Something that happens to a case; it waits until the case has come to rest.
  sealed interface Deed extends Request {}

  /// An input from outside.
  ///
  /// @param messageId makes it idempotent; null when it need not be
  record Feed(
      String caseId, Input input, @Nullable String messageId, CompletableFuture<Reply> reply)
      implements Deed {}

  /// A person or another system answers a task, or withdraws it.
  record Answer(String caseId, EffectId effect, Verdict verdict, CompletableFuture<Reply> reply)
      implements Deed {}

  sealed interface Verdict {
    record Done(Context result) implements Verdict {}

    record Failed(String reason, String detail) implements Verdict {}

    /// Somebody approves or rejects.
    record Decided(boolean approved, String by) implements Verdict {}

    record Withdrawn() implements Verdict {}
  }

  /// Moves the case to another program.
  record Migrate(
      String caseId, Program target, Mapping mapping, CompletableFuture<MigrationResult> reply)
      implements Deed {}

  /// A handler has come back.
  record Report(EffectCall call, EffectResult result) implements Deed {
    @Override
    public String caseId() {
      return call.caseId();
    }
  }

  /// A task fails for good without a call.
  record GiveUp(String caseId, EffectId effect, String reason, Receipt.Result receipt)
      implements Deed {}
}
