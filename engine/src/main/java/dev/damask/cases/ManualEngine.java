package dev.damask.cases;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import dev.damask.task.EffectId;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The same engine without threads: whoever holds it runs its rounds, and decides so when anything
/// happens. For simulators and tests; everything here must be called from one thread.
///
/// Its futures complete during [#turn()], so nobody may wait for one. Dropping it without closing
/// is what a crash looks like.
public final class ManualEngine {
  private final Engine engine;
  private BooleanSupplier callersRun = () -> false;

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
      WorkflowDefinition... workflows) {
    Programs programs = new Programs(store, options.sources());
    return new ManualEngine(
        new Engine(options, store, programs, (_, sink) -> effects.apply(sink), workflows));
  }

  /// Opens another one on a store, after a crash or a close of this one. It knows the programs of
  /// this one without compiling them again.
  public ManualEngine reopen(
      EngineOptions options, Store store, Function<Effects.Sink, Effects> effects) {
    Programs programs = new Programs(store, options.sources(), engine.programs);
    return new ManualEngine(new Engine(options, store, programs, (_, sink) -> effects.apply(sink)));
  }

  /// What a workflow was compiled to.
  public Program program(WorkflowDefinition workflow) {
    return engine.programs.register(workflow);
  }

  /// Runs a round of every shard; false when none had anything to do. What the store says went
  /// wrong is thrown.
  public boolean turn() {
    boolean hasWorked = false;
    try {
      for (Shard shard : engine.shards()) {
        hasWorked |= shard.turn();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("a round that does not wait is not interrupted", e);
    }
    return hasWorked;
  }

  /// Decides from now on for each request whether its caller processes it at once if the shard is
  /// idle, as callers that wait do. Otherwise requests are queued.
  public void callersRun(BooleanSupplier choice) {
    callersRun = choice;
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

  /// When the next timer is due; [CaseRecord#NEVER] when there is none.
  public long nextDue() {
    long next = CaseRecord.NEVER;
    for (Shard shard : engine.shards()) {
      next = Math.min(next, shard.nextDue());
    }
    return next;
  }

  public CompletableFuture<Boolean> start(
      WorkflowDefinition workflow, String caseId, Context context, CaseOptions own) {
    Program program = engine.admitted(workflow, caseId, context, own);
    return this.<StartReply>send(
            caseId, reply -> new Request.Start(caseId, program, context, own, reply))
        .thenApply(StartReply::isNew);
  }

  /// Something that happens to a case from outside.
  ///
  /// @param messageId makes it idempotent; null when it need not be
  public CompletableFuture<Reply> feed(String caseId, Input input, @Nullable String messageId) {
    Bounds.requireMessageId(messageId);
    return this.<CaseReply>send(caseId, reply -> new Request.Feed(caseId, input, messageId, reply))
        .thenApply(CaseReply::kind);
  }

  public CompletableFuture<Reply> completeTask(String caseId, EffectId task, Context result) {
    return answer(caseId, task, new Request.Verdict.Done(result));
  }

  public CompletableFuture<Reply> failTask(String caseId, EffectId task, String reason) {
    return answer(caseId, task, new Request.Verdict.Failed(reason, ""));
  }

  public CompletableFuture<Reply> decide(
      String caseId, EffectId task, boolean isApproved, String by) {
    return answer(caseId, task, new Request.Verdict.Decided(isApproved, by));
  }

  public CompletableFuture<Reply> cancelTask(String caseId, EffectId task) {
    return answer(caseId, task, new Request.Verdict.Withdrawn());
  }

  /// As [Engine#retry].
  public CompletableFuture<Reply> retry(String caseId) {
    return this.<CaseReply>send(caseId, reply -> new Request.Retry(caseId, reply))
        .thenApply(CaseReply::kind);
  }

  /// As [Engine#migrate], to a workflow that was registered when this was opened.
  public CompletableFuture<MigrationResult> migrate(
      String caseId, WorkflowDefinition target, Mapping mapping) {
    Program program = program(target);
    return send(caseId, reply -> new Request.Migrate(caseId, program, mapping, reply));
  }

  /// Asks for the removal of the cases that ended before a time, as retention does.
  public void sweep(long endedBefore) {
    new Retention(engine, engine.store, engine.options).sweep(endedBefore, _ -> {});
  }

  private CompletableFuture<Reply> answer(String caseId, EffectId task, Request.Verdict verdict) {
    return this.<CaseReply>send(caseId, reply -> new Request.Answer(caseId, task, verdict, reply))
        .thenApply(CaseReply::kind);
  }

  public CompletableFuture<CaseResult> await(String caseId) {
    return send(caseId, reply -> new Request.Await(caseId, reply));
  }

  public CompletableFuture<CaseView> status(String caseId) {
    return send(caseId, reply -> new Request.Look(caseId, reply));
  }

  /// What an earlier effect with the key of a call gave, or that its payload was another one; null
  /// when there was none.
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
