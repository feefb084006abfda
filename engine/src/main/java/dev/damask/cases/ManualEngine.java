package dev.damask.cases;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.MigrationResult;
import dev.damask.caller.StartReply;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.exec.StateCodec;
import dev.damask.family.CaseFamily;
import dev.damask.intake.Replies;
import dev.damask.intake.Request;
import dev.damask.ops.Schedules;
import dev.damask.program.Program;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import dev.damask.task.EffectId;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// An engine without threads: its owner runs the rounds and so decides when anything happens. For
/// simulators and tests. All methods must be called from one thread.
///
/// Its futures complete during [#turn()], so the owner must not block on one. Dropping the engine
/// without closing it simulates a crash.
public final class ManualEngine {
  private final Engine engine;
  private BooleanSupplier callersRun = () -> false;
  private BooleanSupplier freezes = () -> false;

  private ManualEngine(Engine engine) {
    this.engine = engine;
  }

  /// Opens it on a store.
  ///
  /// @param effects makes whatever performs effects, given where to report to
  public static ManualEngine open(
      EngineOptions options,
      Store store,
      Function<Effects.Sink, Effects> effects,
      Workflow<?, ?>... workflows) {
    Programs programs = new Programs(store, options);
    return new ManualEngine(
        new Engine(options, store, programs, (_, sink) -> effects.apply(sink), workflows));
  }

  /// Opens another engine on a store after a crash or a close of this one. It reuses the compiled
  /// programs of this one.
  public ManualEngine reopen(
      EngineOptions options, Store store, Function<Effects.Sink, Effects> effects) {
    Programs programs = new Programs(store, options, engine.programs);
    return new ManualEngine(new Engine(options, store, programs, (_, sink) -> effects.apply(sink)));
  }

  /// Returns the compiled program of a workflow.
  public Program program(WorkflowDefinition workflow) {
    return engine.programs.register(workflow);
  }

  /// Runs a round of every shard; false when none had anything to do. Throws what the store throws.
  public boolean turn() {
    boolean hasWorked = engine.schedules().turn();
    try {
      for (Shard shard : engine.shards()) {
        hasWorked |= shard.turn();
        if (freezes.getAsBoolean()) {
          shard.live.freeze(0);
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("a round that does not wait is not interrupted", e);
    }
    return hasWorked;
  }

  /// Throws why the engine stopped working, if it did.
  public void requireWorks() {
    engine
        .stopReason()
        .ifPresent(reason -> {
          throw reason;
        });
  }

  /// Decides from now on for each request whether its caller processes it at once if the shard is
  /// idle, as callers that wait do. Otherwise requests are queued.
  public void callersRun(BooleanSupplier choice) {
    callersRun = choice;
  }

  /// Decides from now on after each round whether all idle cases of the shard are frozen, however
  /// few there are.
  public void freezes(BooleanSupplier choice) {
    freezes = choice;
  }

  /// How many frozen cases were thawed.
  public long thaws() {
    return engine.shards().stream().mapToLong(shard -> shard.live.thaws()).sum();
  }

  /// How many requests were processed by their callers.
  public long callerTurns() {
    long turns = 0;
    for (Shard shard : engine.shards()) {
      turns += shard.caller.turns();
    }
    return turns;
  }

  private <T> CompletableFuture<T> send(
      String caseId, Function<CompletableFuture<T>, Request> request) {
    return callersRun.getAsBoolean() ? engine.ask(caseId, request) : engine.send(caseId, request);
  }

  /// When the next timer or schedule is due; [CaseRecord#NEVER] when there is none.
  public long nextDue() {
    return Math.min(engine.schedules().nextDue(), nextTimer());
  }

  /// When the next timer of a case is due; [CaseRecord#NEVER] when there is none.
  public long nextTimer() {
    long next = CaseRecord.NEVER;
    for (Shard shard : engine.shards()) {
      next = Math.min(next, shard.permits.next(shard.timers.next()));
    }
    return next;
  }

  /// Starts a case. The future has whether a case was created; it is false if a case with this id
  /// existed.
  public CompletableFuture<Boolean> start(
      WorkflowDefinition workflow, String caseId, Context context, CaseOptions own) {
    Replies.requireNewId(caseId, List.of());
    Program program = engine.admitted(workflow, caseId, context, own);
    return this.<StartReply>send(
            caseId, reply -> new Request.Start(caseId, program, context, own, List.of(), reply))
        .thenApply(StartReply::isNew);
  }

  /// Applies an input to a case.
  ///
  /// @param messageId makes it idempotent; null when it need not be
  public CompletableFuture<Reply> feed(String caseId, Input input, @Nullable String messageId) {
    Bounds.requireMessageId(messageId);
    return this.<CaseReply>send(caseId, reply -> new Request.Feed(caseId, input, messageId, reply))
        .thenApply(CaseReply::kind);
  }

  /// Completes a waiting task with a result, as [Run#completeTask] does.
  public CompletableFuture<Reply> completeTask(String caseId, EffectId task, Context result) {
    return answer(caseId, task, new Request.Verdict.Done(result));
  }

  /// Fails the attempt of a waiting task.
  public CompletableFuture<Reply> failTask(String caseId, EffectId task, String reason) {
    return answer(caseId, task, new Request.Verdict.Failed(reason, ""));
  }

  /// Retries a task that is an incident.
  public CompletableFuture<Reply> retryTask(String caseId, EffectId task) {
    return answer(caseId, task, new Request.Verdict.Retried());
  }

  /// Decides about a task that waits for an approval.
  public CompletableFuture<Reply> decide(
      String caseId, EffectId task, boolean isApproved, String by) {
    return answer(caseId, task, new Request.Verdict.Decided(isApproved, by));
  }

  /// Cancels a waiting task.
  public CompletableFuture<Reply> cancelTask(String caseId, EffectId task) {
    return answer(caseId, task, new Request.Verdict.Withdrawn());
  }

  /// Retries a quarantined case, as [Engine#retry] does.
  public CompletableFuture<Reply> retry(String caseId) {
    return this.<CaseReply>send(caseId, reply -> new Request.Retry(caseId, reply))
        .thenApply(CaseReply::kind);
  }

  /// Pauses a case, as [Engine#pause] does.
  public CompletableFuture<Reply> pause(String caseId, String reason) {
    return this.<CaseReply>send(caseId, reply -> new Request.PauseCase(caseId, reason, reply))
        .thenApply(CaseReply::kind);
  }

  /// Resumes a case, as [Engine#resume] does.
  public CompletableFuture<Reply> resume(String caseId) {
    return this.<CaseReply>send(caseId, reply -> new Request.ResumeCase(caseId, reply))
        .thenApply(CaseReply::kind);
  }

  /// Returns what the migration of a case would return, and changes nothing.
  public CompletableFuture<MigrationResult> attemptMigration(
      String caseId, Program target, Mapping mapping) {
    return send(caseId, reply -> new Request.Trial(caseId, target, mapping, reply));
  }

  /// Migrates a case to a program that [#program] has returned.
  public CompletableFuture<MigrationResult> migrate(
      String caseId, Program target, Mapping mapping) {
    return send(caseId, reply -> new Request.Migrate(caseId, target, mapping, reply));
  }

  /// Migrates a case, as [Engine#migrate] does, to a workflow that was registered when this was
  /// opened.
  public CompletableFuture<MigrationResult> migrate(
      String caseId, WorkflowDefinition target, Mapping mapping) {
    Program program = program(target);
    return send(caseId, reply -> new Request.Migrate(caseId, program, mapping, reply));
  }

  /// Asks for the removal of the cases that ended before a time, as retention does.
  public void sweep(long endedBefore) {
    engine.retention().sweep(endedBefore, _ -> {});
  }

  private CompletableFuture<Reply> answer(String caseId, EffectId task, Request.Verdict verdict) {
    return this.<CaseReply>send(caseId, reply -> new Request.Answer(caseId, task, verdict, reply))
        .thenApply(CaseReply::kind);
  }

  /// Returns a future with the result of a case.
  public CompletableFuture<CaseResult<Context>> await(String caseId) {
    return send(caseId, reply -> new Request.Await(caseId, reply));
  }

  /// Returns a future with the view of a case.
  public CompletableFuture<CaseView> status(String caseId) {
    return send(caseId, reply -> new Request.Look(caseId, reply));
  }

  /// The schedules of the store. [#turn] starts what is due.
  public Schedules schedules() {
    return engine.schedules();
  }

  /// The parent and the children of a case, as they are stored.
  public CaseFamily family(String caseId) {
    return CaseFamily.read(engine.store, caseId);
  }

  /// The result of an earlier effect with the key of a call, or that its payload was another one;
  /// null when there was none.
  public @Nullable EffectResult finished(EffectCall call) {
    return engine.finished(call);
  }

  /// The state of a case that is in memory and durable as it is, in the bytes of the store; empty
  /// while something of it is not committed.
  public Optional<byte[]> restingState(String caseId) {
    LiveCase found = engine.shard(caseId).live.get(caseId);
    return found != null && found.isDurable()
        ? Optional.of(StateCodec.encode(found.state))
        : Optional.empty();
  }
}
