package dev.damask.cases;

import dev.damask.store.Store;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;

/// The methods of [Engine] that run a workflow as a function.
abstract sealed class WorkflowCalls extends CaseReads permits TaskInputs {
  WorkflowCalls(Store store, Programs programs) {
    super(store, programs);
  }

  abstract DirectCalls calls();

  /// Runs a workflow to its end on the calling thread and returns its final context. Nothing is
  /// stored and nothing is durable: there is no case, no id, no trace and no receipt. If the
  /// process dies, the run is lost; effects that were performed stay performed.
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
  public Context call(WorkflowDefinition workflow, Context context) {
    return call(workflow, context, CaseOptions.DEFAULT);
  }

  /// Runs a workflow as [#call(WorkflowDefinition, Context)] does, with the seed, limits, allow
  /// list and budget of the options. Throws `IllegalArgumentException` if they have a deadline.
  public Context call(WorkflowDefinition workflow, Context context, CaseOptions own) {
    return switch (callResult(workflow, context, own)) {
      case CaseResult.Completed(var result) -> result;
      case CaseResult.Failed(var failure) -> throw new CaseFailedException(failure);
      case CaseResult.Cancelled cancelled -> throw new CaseCancelledException(cancelled);
      case CaseResult.Stuck(var report) -> throw new CaseStuckException(report);
    };
  }

  /// Runs a workflow as [#call(WorkflowDefinition, Context)] does and returns how it ended.
  public CaseResult callResult(WorkflowDefinition workflow, Context context) {
    return callResult(workflow, context, CaseOptions.DEFAULT);
  }

  /// Runs a workflow as [#call(WorkflowDefinition, Context, CaseOptions)] does and returns how it
  /// ended.
  public CaseResult callResult(WorkflowDefinition workflow, Context context, CaseOptions own) {
    requireOpen();
    if (own.deadline().isPresent()) {
      throw new IllegalArgumentException(
          "workflow " + workflow.name() + ": a call has no deadline; start a case");
    }
    return calls().call(workflow, programs.register(workflow), context, own);
  }
}
