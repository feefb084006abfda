package dev.damask.cases;

import dev.damask.caller.CaseCancelledException;
import dev.damask.caller.CaseFailedException;
import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.caller.StartReply;
import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.clock.SharedClock;
import dev.damask.cluster.SharedStore;
import dev.damask.cluster.StoreCluster;
import dev.damask.event.Input;
import dev.damask.intake.Replies;
import dev.damask.intake.Request;
import dev.damask.ops.ScheduledStarts;
import dev.damask.ops.Schedules;
import dev.damask.program.Program;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoreProvider;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/// The methods of [Engine] that open one and that run a workflow as a function, and its schedules.
abstract sealed class WorkflowCalls extends CaseReads permits TaskInputs {
  /// What the exceptions of a call name instead of a case id.
  private static final String CALL = "(call)";

  private final Schedules schedules = new Schedules(super.store, new Starts());

  WorkflowCalls(Store store, Programs programs) {
    super(store, programs);
  }

  /// An engine in memory: nothing outlives it.
  public static Engine open(Workflow<?, ?>... workflows) {
    return open(EngineOptions.defaults(), new MemoryStore(), workflows);
  }

  /// An engine on a folder. Cases found there go on as soon as their programs are registered.
  public static Engine open(Path folder, Workflow<?, ?>... workflows) {
    return open(EngineOptions.defaults(), folder, workflows);
  }

  /// Opens an engine on the store in a directory, which is created if it does not exist.
  public static Engine open(EngineOptions options, Path folder, Workflow<?, ?>... workflows) {
    return open(options, StoreProvider.find().open(folder), workflows);
  }

  /// An engine on a store, which it closes when it is closed.
  public static Engine open(EngineOptions options, Store store, Workflow<?, ?>... workflows) {
    boolean isOpen = false;
    try {
      EngineOptions own =
          store instanceof SharedStore shared
              ? options.withClock(new SharedClock(shared))
              : options;
      Programs programs = new Programs(store, own.sources());
      Engine engine = new Engine(own, store, programs, Engine::runner, workflows);
      engine.launch();
      isOpen = true;
      return engine;
    } finally {
      if (!isOpen) {
        store.close();
      }
    }
  }

  /// Opens an engine as one node of a cluster. Several engines share its cases; each moves those of
  /// the slots that it owns, and every method may be called about a case of any node. Timers follow
  /// the clock of the cluster. When the engine is closed, it leaves the cluster.
  public static Engine open(
      EngineOptions options, StoreCluster cluster, Workflow<?, ?>... workflows) {
    return open(options, cluster.join(), workflows);
  }

  /// What is wrong with a workflow; empty when nothing is.
  public static List<Diagnostic> check(Workflow<?, ?> workflow) {
    return TermCheck.check(workflow.definition());
  }

  abstract DirectCalls calls();

  /// The schedules of the store, which start cases at times.
  public Schedules schedules() {
    return schedules;
  }

  /// Whether this engine may move a case.
  boolean owns(String caseId) {
    return ((Engine) (CaseReads) this).ownership.owns(caseId);
  }

  /// The engine as its schedules see it.
  private final class Starts implements ScheduledStarts {
    private Engine engine() {
      return (Engine) (CaseReads) WorkflowCalls.this;
    }

    @Override
    public long now() {
      return engine().options.clock().millis();
    }

    @Override
    public boolean owns(String schedule) {
      return engine().ownership.owns(schedule);
    }

    @Override
    public void register(Workflow<?, ?> workflow) {
      engine().register(workflow);
    }

    @Override
    public boolean isKnown(String workflow) {
      return programs.named(workflow) != null;
    }

    @Override
    public CompletableFuture<Boolean> start(
        String workflow, String caseId, Context input, List<RowChange> rows) {
      Program program = Objects.requireNonNull(programs.named(workflow));
      Replies.requireId(caseId);
      boolean isOwn = engine().ownership.owns(caseId);
      Function<CompletableFuture<StartReply>, Request> request =
          reply ->
              new Request.Start(
                  caseId, program, input, CaseOptions.DEFAULT, isOwn ? rows : List.of(), reply);
      // Another node starts the case without the rows, which are written afterwards.
      return isOwn
          ? WorkflowCalls.this.<StartReply>send(caseId, request).thenApply(StartReply::isNew)
          : WorkflowCalls.this.<StartReply>ask(caseId, request).thenApply(_ -> false);
    }

    @Override
    public CompletableFuture<Void> write(List<RowChange> rows) {
      return store
          .commit(CommitBatch.ofRows(rows))
          .whenComplete((_, thrown) -> {
            if (thrown instanceof StoreException broken && !engine().ownership.isShared()) {
              engine().fail(broken); // as a commit of a shard does: the store cannot be trusted
            }
          });
    }

    @Override
    public boolean hasEnded(String caseId) {
      return store.record(caseId).map(record -> record.status().isEnded()).orElse(true);
    }

    @Override
    public void whenEnded(String caseId, Runnable action) {
      var _ = engine().result(caseId).whenComplete((_, _) -> action.run());
    }

    @Override
    public CompletableFuture<?> cancel(String caseId, String reason) {
      return engine().feed(caseId, new Input.Kill("case", false, reason), null);
    }
  }

  /// Runs a workflow to its end on the calling thread and returns its result. Nothing is stored and
  /// nothing is durable: there is no case, no id, no trace and no receipt. If the process dies, the
  /// run is lost; effects that were performed stay performed.
  ///
  /// Effects run one after another on the calling thread, the one that started first before the
  /// others. Each call of a handler has a random key and an empty case id. Allow lists, budgets and
  /// limits hold; an effect above a limit of concurrent calls fails with `limit`. An interrupt
  /// cancels the run, undoes what was done, and stays set.
  ///
  /// Any thread may call, also a handler and a task function. Throws [CaseFailedException],
  /// [CaseCancelledException] or [CaseStuckException] if the workflow has no result. Throws
  /// `IllegalArgumentException` with the place, before the first task runs, if the workflow waits
  /// for signals, decisions or time, uses idempotency keys, or has a task without a handler.
  public <I, O> O call(Workflow<I, O> workflow, I input) {
    return call(workflow, input, CaseOptions.DEFAULT);
  }

  /// Runs a workflow as [#call(Workflow, Object)] does, with the seed, limits, allow list and
  /// budget of the options. Throws `IllegalArgumentException` if they have a deadline.
  public <I, O> O call(Workflow<I, O> workflow, I input, CaseOptions own) {
    return callResult(workflow, input, own).orElseThrow(CALL);
  }

  /// Runs a workflow as [#call(Workflow, Object)] does and returns how it ended.
  public <I, O> CaseResult<O> callResult(Workflow<I, O> workflow, I input) {
    return callResult(workflow, input, CaseOptions.DEFAULT);
  }

  /// Runs a workflow as [#call(Workflow, Object, CaseOptions)] does and returns how it ended.
  public <I, O> CaseResult<O> callResult(Workflow<I, O> workflow, I input, CaseOptions own) {
    requireOpen();
    var definition = workflow.definition();
    if (own.deadline().isPresent()) {
      throw new IllegalArgumentException(
          "workflow " + definition.name() + ": a call has no deadline; start a case");
    }
    Program program = programs.register(definition);
    Context context = workflow.encode(input);
    Replies.requireInput("workflow " + definition.name(), program, context);
    return calls().call(definition, program, context, own).map(workflow::decode);
  }
}
