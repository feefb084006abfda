package dev.damask.cases;

import dev.damask.caller.CaseCancelledException;
import dev.damask.caller.CaseFailedException;
import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.caller.StartReply;
import dev.damask.event.Input;
import dev.damask.intake.Replies;
import dev.damask.intake.Request;
import dev.damask.ops.ScheduledStarts;
import dev.damask.ops.Schedules;
import dev.damask.program.Program;
import dev.damask.store.CommitBatch;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/// The methods of [Engine] that run a workflow as a function, and its schedules.
abstract sealed class WorkflowCalls extends CaseReads permits TaskInputs {
  /// What the exceptions of a call name instead of a case id.
  private static final String CALL = "(call)";

  private final Schedules schedules = new Schedules(super.store, new Starts());

  WorkflowCalls(Store store, Programs programs) {
    super(store, programs);
  }

  abstract DirectCalls calls();

  /// The schedules of the store, which start cases at times.
  public Schedules schedules() {
    return schedules;
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
      return WorkflowCalls.this
          .<StartReply>send(
              caseId,
              reply -> new Request.Start(caseId, program, input, CaseOptions.DEFAULT, rows, reply))
          .thenApply(StartReply::isNew);
    }

    @Override
    public CompletableFuture<Void> write(List<RowChange> rows) {
      return store.commit(CommitBatch.ofRows(rows));
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
    return calls()
        .call(definition, programs.register(definition), workflow.encode(input), own)
        .map(workflow::decode);
  }
}
