package dev.damask.intake;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseOrigin;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A request to a shard. Its future completes when the result is durable.
public sealed interface Request {
  String caseId();

  /// Whether it is about a case that should be there.
  default boolean needsCase() {
    return switch (this) {
      case Start _, Remove _, Rescan _, Shift _, Look _, Inspect _, Settle _ -> false;
      case Await _, Deliver _, Trial _, CopyCase _ -> false;
      default -> true;
    };
  }

  /// Completes the waiting caller's future exceptionally.
  default void refuse(RuntimeException why) {
    if (this instanceof Report(_, EffectResult.Joined(_, var transaction), _)) {
      transaction.rollback();
    }
    CompletableFuture<?> future = future();
    if (future != null) {
      future.completeExceptionally(why);
    } else if (this instanceof Scripted scripted) {
      scripted.run().unwind(String.valueOf(why.getMessage()));
    }
  }

  /// The future that completes with the reply; null if no caller waits for one.
  default @Nullable CompletableFuture<?> future() {
    return switch (this) {
      case Start start -> start.reply();
      case Inspect inspect -> inspect.reply();
      case Settle settle -> settle.reply();
      case Look look -> look.reply();
      case Await await -> await.reply();
      case Retry retry -> retry.reply();
      case Feed feed -> feed.reply();
      case Answer answer -> answer.reply();
      case Migrate migrate -> migrate.reply();
      case Remove remove -> remove.reply();
      case Trial trial -> trial.reply();
      case Rescan rescan -> rescan.reply();
      case Index index -> index.reply();
      case Shift shift -> shift.reply();
      case Report report -> report.reply();
      case PauseCase pause -> pause.reply();
      case ResumeCase resume -> resume.reply();
      case CopyCase copy -> copy.reply();
      case Scripted _, GiveUp _, Admit _, Deliver _, Received _, Stored _ -> null;
    };
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

  /// Removes a case that has ended long enough ago, or that is corrupt. False when it is neither.
  ///
  /// @param endedBefore keeps what has changed since
  record Remove(
      String caseId, long endedBefore, boolean damagedOnly, CompletableFuture<Boolean> reply)
      implements Request {}

  /// A program has become known: cases that need it continue.
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

    /// Adds the cases among some that move or are about to, to a set that any thread may change.
    record Watched(Set<String> cases, Set<String> moving) implements SlotChange {}

    /// A case that kills its node is quarantined.
    record Condemned(String caseId, String why) implements SlotChange {}
  }

  /// Completes when everything before it is durable; false if there is no such case.
  record Settle(String caseId, CompletableFuture<Boolean> reply) implements Request {}

  /// Returns the status of a case, without bringing it into memory.
  record Look(String caseId, CompletableFuture<CaseView> reply) implements Request {}

  /// Shows the state of a case, without bringing it into memory.
  record Inspect(String caseId, CompletableFuture<StateView> reply) implements Request {}

  /// Waits for the end, without bringing the case into memory.
  record Await(String caseId, CompletableFuture<CaseResult<Context>> reply) implements Request {}

  /// Releases a quarantined case.
  record Retry(String caseId, CompletableFuture<CaseReply> reply) implements Request {}

  /// Pauses a case.
  record PauseCase(String caseId, String reason, CompletableFuture<CaseReply> reply)
      implements Request {}

  /// Resumes a case that is paused.
  record ResumeCase(String caseId, CompletableFuture<CaseReply> reply) implements Request {}

  /// Creates a case with the state and the receipts that another case had at a position.
  record CopyCase(String caseId, CaseOrigin origin, CompletableFuture<StartReply> reply)
      implements Request {}

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

  /// A person or another system answers a task, or cancels it.
  ///
  /// @param claim the claim of the worker that answers; null if no worker does
  record Answer(
      String caseId,
      EffectId effect,
      Verdict verdict,
      @Nullable String claim,
      CompletableFuture<CaseReply> reply)
      implements Queued {
    public Answer(
        String caseId, EffectId effect, Verdict verdict, CompletableFuture<CaseReply> reply) {
      this(caseId, effect, verdict, null, reply);
    }
  }

  sealed interface Verdict {
    record Done(Context result) implements Verdict {}

    record Failed(String reason, String detail) implements Verdict {}

    /// A person approves or rejects.
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

    /// The worker that claimed an at-most-once task has not answered in time.
    record Lost() implements Verdict {}
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
  /// @param reply null if no caller waits until the result is durable
  record Report(EffectCall call, EffectResult result, @Nullable CompletableFuture<CaseReply> reply)
      implements Queued {
    @Override
    public String caseId() {
      return call.caseId();
    }

    /// Returns whether the handler worked in a transaction that only this node can commit.
    public boolean isJoined() {
      return result instanceof EffectResult.Joined;
    }

    /// Returns the report for another owner of the case. A transaction is rolled back; the owner
    /// calls the handler again.
    public Report forwarded() {
      if (result instanceof EffectResult.Joined(_, var transaction)) {
        transaction.rollback();
        return new Report(call, new EffectResult.Interrupted(), null);
      }
      return new Report(call, result, null);
    }
  }

  /// A run of a script requests a step, or reports that it cannot continue.
  record Scripted(String caseId, ScriptRun run, ScriptMessage message) implements Queued {}

  /// A message of another case has to be applied.
  ///
  /// @param isRepeated whether it may have been applied since it was read
  record Deliver(String caseId, TableRow row, boolean isRepeated) implements Request {}

  /// A message of another case.
  ///
  /// @param row the row to remove
  record Received(String caseId, FamilyMessage message, TableRow row) implements Queued {}

  /// A permit was granted to an attempt.
  record Admit(String caseId, EffectId effect, int attempt) implements Queued {}

  /// An input that was stored while the case was paused. It is read when it is applied, so that the
  /// stored inputs of a case are not in memory all at once.
  ///
  /// @param row the key of its row
  /// @param bytes the size of its row
  /// @param isResult whether it is the result of a task, which goes before the timers that have
  ///   come due
  /// @param kill null if it ends nothing
  record Stored(
      String caseId, TableRow row, long bytes, boolean isResult, Input.@Nullable Kill kill)
      implements Queued {
    /// Returns the note of a stored input.
    public static Stored of(Queued deed, TableRow row) {
      boolean isResult =
          switch (deed) {
            case Report(_, EffectResult.Ok _, _), Report(_, EffectResult.Same _, _) -> true;
            case Answer(_, _, Verdict.Done _, _, _) -> true;
            default -> false;
          };
      Input.Kill kill = deed instanceof Feed(_, Input.Kill found, _, _, _) ? found : null;
      return new Stored(
          row.key(), MessageDelivery.keyOf(row), row.value().length(), isResult, kill);
    }
  }

  /// A task fails for good without a call.
  record GiveUp(String caseId, EffectId effect, String reason, Receipt.Result receipt)
      implements Queued {}
}
