package dev.damask.intake;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.MigrationResult;
import dev.damask.caller.StartReply;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.event.StateView;
import dev.damask.program.Program;
import dev.damask.script.ScriptMessage;
import dev.damask.script.ScriptRun;
import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What a shard is asked for. A future completes when what it says is durable.
public sealed interface Request {
  String caseId();

  /// Whether it is about a case that should be there.
  default boolean needsCase() {
    return switch (this) {
      case Start _, Remove _, Rescan _, Shift _, Look _, Inspect _, Settle _ -> false;
      case Await _, Trial _, Deliver _ -> false;
      default -> true;
    };
  }

  /// Tells whoever waits that it cannot be.
  default void refuse(RuntimeException why) {
    switch (this) {
      case Start start -> start.reply().completeExceptionally(why);
      case Inspect inspect -> inspect.reply().completeExceptionally(why);
      case Settle settle -> settle.reply().completeExceptionally(why);
      case Look look -> look.reply().completeExceptionally(why);
      case Await await -> await.reply().completeExceptionally(why);
      case Retry retry -> retry.reply().completeExceptionally(why);
      case Feed feed -> feed.reply().completeExceptionally(why);
      case Answer answer -> answer.reply().completeExceptionally(why);
      case Migrate migrate -> migrate.reply().completeExceptionally(why);
      case Remove remove -> remove.reply().completeExceptionally(why);
      case Trial trial -> trial.reply().completeExceptionally(why);
      case Rescan rescan -> rescan.reply().completeExceptionally(why);
      case Index index -> index.reply().completeExceptionally(why);
      case Shift shift -> shift.reply().completeExceptionally(why);
      case Report(_, _, var reply) -> {
        if (reply != null) {
          reply.completeExceptionally(why);
        }
      }
      case Scripted scripted -> scripted.run().unwind(String.valueOf(why.getMessage()));
      case GiveUp _, Admit _, Deliver _, Received _ -> {}
    }
  }

  /// Creates a case, unless there is one of that id.
  ///
  /// @param rows written in the same commit as the new case
  record Start(
      String caseId,
      Program program,
      Context context,
      CaseOptions options,
      List<RowChange> rows,
      CompletableFuture<StartReply> reply)
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

  /// Computes again what a case can be found by. The future completes when it is durable.
  record Index(String caseId, CompletableFuture<Boolean> reply) implements Request {}

  /// The node owns other slots than before.
  record Shift(SlotChange change, CompletableFuture<Boolean> reply) implements Request {
    @Override
    public String caseId() {
      return "";
    }
  }

  /// What a change of ownership means for a shard.
  sealed interface SlotChange {
    /// The cases of slots go to another node.
    record Released(BitSet slots) implements SlotChange {}

    /// Cases of new slots that are active; those that are due are in the store.
    record Acquired(List<String> active) implements SlotChange {}

    /// Another node has taken over all slots.
    record Dropped() implements SlotChange {}

    /// A node has gone that called effects of cases of this one.
    record Recalled() implements SlotChange {}
  }

  /// Completes when everything before it is durable; false if there is no such case.
  record Settle(String caseId, CompletableFuture<Boolean> reply) implements Request {}

  /// Says how a case stands, without bringing it into memory.
  record Look(String caseId, CompletableFuture<CaseView> reply) implements Request {}

  /// Shows the state of a case, without bringing it into memory.
  record Inspect(String caseId, CompletableFuture<StateView> reply) implements Request {}

  /// Waits for the end, without bringing the case into memory.
  record Await(String caseId, CompletableFuture<CaseResult<Context>> reply) implements Request {}

  /// Releases a quarantined case.
  record Retry(String caseId, CompletableFuture<CaseReply> reply) implements Request {}

  /// Something that happens to a case; it waits until the case has come to rest.
  sealed interface Queued extends Request {}

  /// An input from outside.
  ///
  /// @param messageId makes it idempotent; null when it need not be
  /// @param traceparent the tracing context that the case has from now on; null to keep its own
  record Feed(
      String caseId,
      Input input,
      @Nullable String messageId,
      @Nullable String traceparent,
      CompletableFuture<CaseReply> reply)
      implements Queued {
    public Feed(
        String caseId,
        Input input,
        @Nullable String messageId,
        CompletableFuture<CaseReply> reply) {
      this(caseId, input, messageId, null, reply);
    }
  }

  /// A person or another system answers a task, or withdraws it.
  record Answer(String caseId, EffectId effect, Verdict verdict, CompletableFuture<CaseReply> reply)
      implements Queued {}

  sealed interface Verdict {
    record Done(Context result) implements Verdict {}

    record Failed(String reason, String detail) implements Verdict {}

    /// Somebody approves or rejects.
    record Decided(boolean approved, String by) implements Verdict {}

    record Withdrawn() implements Verdict {}

    /// An operator has a task tried once more that is an incident.
    record Retried() implements Verdict {}

    /// An operator completes a task that is an incident.
    record Skipped(Context result) implements Verdict {}

    /// An operator fails a task that is an incident.
    ///
    /// @param reason empty for the reason of the incident
    record GivenUp(String reason) implements Verdict {}
  }

  /// Moves the case to another program.
  record Migrate(
      String caseId, Program target, Mapping mapping, CompletableFuture<MigrationResult> reply)
      implements Queued {}

  /// Tries the migration of a case to another program and changes nothing.
  record Trial(
      String caseId, Program target, Mapping mapping, CompletableFuture<MigrationResult> reply)
      implements Request {}

  /// A handler has come back.
  ///
  /// @param reply null if nobody has to know that the result is durable
  record Report(EffectCall call, EffectResult result, @Nullable CompletableFuture<CaseReply> reply)
      implements Queued {
    @Override
    public String caseId() {
      return call.caseId();
    }
  }

  /// A message of another case has to be applied.
  ///
  /// @param isRepeated whether it may have been applied since it was read
  record Deliver(String caseId, TableRow row, boolean isRepeated) implements Request {}

  /// A message of another case.
  ///
  /// @param row the row to remove
  record Received(String caseId, FamilyMessage message, TableRow row) implements Queued {}

  /// A run of a script asks for a step, or says that it cannot go on.
  record Scripted(String caseId, ScriptRun run, ScriptMessage message) implements Queued {}

  /// A permit was granted to an attempt.
  record Admit(String caseId, EffectId effect, int attempt) implements Queued {}

  /// A task fails for good without a call.
  record GiveUp(String caseId, EffectId effect, String reason, Receipt.Result receipt)
      implements Queued {}
}
