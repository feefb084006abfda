package dev.damask.cases;

import dev.damask.caller.CaseCancelledException;
import dev.damask.caller.CaseFailedException;
import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.clock.SharedClock;
import dev.damask.cluster.SharedStore;
import dev.damask.cluster.StoreCluster;
import dev.damask.intake.Replies;
import dev.damask.program.Program;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.StoreProvider;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.List;

/// The methods of [Engine] that open one and that run a workflow as a function.
abstract sealed class WorkflowCalls extends CaseReads permits TaskInputs {
  /// What the exceptions of a call name instead of a case id.
  private static final String CALL = "(call)";

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
