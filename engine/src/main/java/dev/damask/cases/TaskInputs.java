package dev.damask.cases;

import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseView;
import dev.damask.caller.MigrationResult;
import dev.damask.caller.SignalOptions;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.intake.Replies;
import dev.damask.intake.Request;
import dev.damask.ops.Incidents;
import dev.damask.ops.Migrations;
import dev.damask.program.Program;
import dev.damask.store.Store;
import dev.damask.task.EffectId;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The methods of [Engine] that send signals, answer pending tasks, end scopes and change open sets
/// of instances.
abstract sealed class TaskInputs extends WorkflowCalls permits Engine {
  TaskInputs(Store store, Programs programs) {
    super(store, programs);
  }

  /// Removes what is left of a case that cannot be read any more; false when it can be read. When
  /// it returns, the removal is durable. Nothing does this by itself.
  public boolean salvage(String caseId) {
    return Replies.get(ask(caseId, reply -> new Request.Remove(caseId, 0, true, reply)));
  }

  /// Computes the attributes of all cases of a workflow again, with the functions that are
  /// registered now. Returns when the index is durable. Needed only if a function in Java was
  /// changed that computes an attribute.
  public void reindex(Workflow<?, ?> workflow) {
    requireOpen();
    index.again(programs.register(workflow.definition()));
  }

  /// Puts a token on an external place. When it returns, the signal and what follows from it up to
  /// the next wait are durable.
  public CaseReply signal(
      String caseId, String place, Map<String, ? extends @Nullable Object> payload) {
    return put(caseId, new Input.Signal(place, Context.from(payload)), null);
  }

  /// As above; a message id that the case has consumed before changes nothing and gets the answer
  /// it got then.
  public CaseReply signal(
      String caseId,
      String place,
      Map<String, ? extends @Nullable Object> payload,
      String messageId) {
    return put(caseId, new Input.Signal(place, Context.from(payload)), messageId);
  }

  /// Sends a signal with a message id, a tracing context, or both; durable when it returns.
  public CaseReply signal(
      String caseId,
      String place,
      Map<String, ? extends @Nullable Object> payload,
      SignalOptions own) {
    String messageId = own.messageId().orElse(null);
    Bounds.requireMessageId(messageId);
    Input input = new Input.Signal(place, Context.from(payload));
    String parent = own.traceparent().orElse(null);
    return Replies.get(
        ask(caseId, reply -> new Request.Feed(caseId, input, messageId, parent, reply)));
  }

  /// As [#signal], for callers with many signals at once.
  public CompletableFuture<CaseReply> signalAsync(
      String caseId, String place, Map<String, ? extends @Nullable Object> payload) {
    return feed(caseId, new Input.Signal(place, Context.from(payload)), null);
  }

  /// A pending task has this result. When it returns, the result and its receipt are durable; a
  /// late result has a receipt and changes nothing else. Rejected if the task is an approval with
  /// approvers and `by` in the result is none of them, or if the task is an effect that waits for
  /// its approval: use [#decide].
  public CaseReply completeTask(
      String caseId, EffectId task, Map<String, ? extends @Nullable Object> result) {
    Request.Verdict verdict = new Request.Verdict.Done(Context.from(result));
    return Replies.get(ask(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
  }

  /// Completes the execution with an address such as `A[2]#1`. The exact address wins; if no
  /// pending task has it, the oldest one that it covers is meant. The reply is `LATE` if there is
  /// none.
  public CaseReply completeTask(
      String caseId, String address, Map<String, ? extends @Nullable Object> result) {
    return at(caseId, address, task -> completeTask(caseId, task, result));
  }

  /// An attempt of a pending task failed; durable when it returns, with its receipt. Rejected if
  /// the task waits for a decision by named approvers.
  public CaseReply failTask(String caseId, EffectId task, String reason) {
    Replies.requireReason(reason);
    Request.Verdict verdict = new Request.Verdict.Failed(reason, "");
    return Replies.get(ask(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
  }

  /// An attempt of the execution with an address failed; see [#completeTask(String, String, Map)].
  public CaseReply failTask(String caseId, String address, String reason) {
    return at(caseId, address, task -> failTask(caseId, task, reason));
  }

  /// Somebody decides about a task that waits for an approval. When it returns, the decision and
  /// its receipt are durable, and an effect that was approved is on its way. Rejected when the task
  /// waits for no decision or `by` is none of its approvers.
  public CaseReply decide(String caseId, EffectId task, boolean isApproved, String by) {
    Bounds.requireName(by);
    Request.Verdict verdict = new Request.Verdict.Decided(isApproved, by);
    return Replies.get(ask(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
  }

  /// Withdraws a pending task; durable when it returns.
  public CaseReply cancelTask(String caseId, EffectId task) {
    Request.Verdict verdict = new Request.Verdict.Withdrawn();
    return Replies.get(ask(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
  }

  /// Cancels the execution with an address; see [#completeTask(String, String, Map)].
  public CaseReply cancelTask(String caseId, String address) {
    return at(caseId, address, task -> cancelTask(caseId, task));
  }

  /// Returns the tasks that wait for an operator, to list, retry, skip or fail them.
  public Incidents incidents() {
    requireOpen();
    return new Incidents(store, new Answers());
  }

  /// Registers a workflow, so that its cases resume. The store knows its hash and name when this
  /// returns.
  public abstract void register(Workflow<?, ?> workflow);

  /// Returns the migrations of all cases of a version: explained, tried, and performed in batches.
  public Migrations migrations() {
    requireOpen();
    return new Migrations(store, new Moves());
  }

  private final class Moves implements Migrations.Mover {
    @Override
    public Program program(Workflow<?, ?> workflow) {
      register(workflow);
      return programs.register(workflow.definition());
    }

    @Override
    public CompletableFuture<MigrationResult> attempt(String caseId, Program to, Mapping mapping) {
      return send(caseId, reply -> new Request.Trial(caseId, to, mapping, reply));
    }

    @Override
    public CompletableFuture<MigrationResult> move(String caseId, Program to, Mapping mapping) {
      return send(caseId, reply -> new Request.Migrate(caseId, to, mapping, reply));
    }
  }

  private final class Answers implements Incidents.Operator {
    @Override
    public CaseReply retry(String caseId, EffectId task) {
      return answer(caseId, task, new Request.Verdict.Retried());
    }

    @Override
    public CaseReply skip(String caseId, EffectId task, Context result) {
      return answer(caseId, task, new Request.Verdict.Skipped(result));
    }

    @Override
    public CaseReply fail(String caseId, EffectId task, String reason) {
      Replies.requireReason(reason);
      return answer(caseId, task, new Request.Verdict.GivenUp(reason));
    }

    private CaseReply answer(String caseId, EffectId task, Request.Verdict verdict) {
      return Replies.get(ask(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
    }
  }

  /// Cancels a case. When it returns, the cancellation is durable and running handlers have been
  /// interrupted; undoing may continue.
  public CaseReply cancel(String caseId) {
    return cancel(caseId, "case");
  }

  /// Withdraws every open activation of a scope, a set of instances or a task; durable when it
  /// returns.
  public CaseReply cancel(String caseId, String scope) {
    return cancel(caseId, scope, "");
  }

  /// Cancels as [#cancel(String, String)] does, with a reason for people. It is kept in the result,
  /// the trace and the views of the case; `scope` is `case` for the whole.
  public abstract CaseReply cancel(String caseId, String scope, String reason);

  /// Ends every open activation as if it had completed; durable when it returns.
  public CaseReply complete(String caseId, String scope) {
    return put(caseId, new Input.Kill(scope, true), null);
  }

  /// Adds an instance to an open set; durable when it returns.
  public CaseReply addInstance(String caseId, String instances) {
    return put(caseId, new Input.AddInstance(instances, null, false), null);
  }

  /// Adds an instance with an item to an open set; durable when it returns.
  public CaseReply addInstance(String caseId, String instances, @Nullable Object item) {
    return put(caseId, new Input.AddInstance(instances, item, true), null);
  }

  /// Allows no further instances; durable when it returns.
  public CaseReply closeInstances(String caseId, String instances) {
    return put(caseId, new Input.CloseInstances(instances), null);
  }

  /// Releases a quarantined case, which resumes from its last commit. Rejected if the case is not
  /// quarantined. Durable when it returns.
  public CaseReply retry(String caseId) {
    return Replies.get(ask(caseId, reply -> new Request.Retry(caseId, reply)));
  }

  /// Applies an input and waits until it is durable.
  ///
  /// @param messageId makes it idempotent; null when it need not be
  CaseReply put(String caseId, Input input, @Nullable String messageId) {
    Bounds.requireMessageId(messageId);
    return Replies.get(ask(caseId, reply -> new Request.Feed(caseId, input, messageId, reply)));
  }

  /// Sends an input; completes when it is durable.
  CompletableFuture<CaseReply> feed(String caseId, Input input, @Nullable String messageId) {
    Bounds.requireMessageId(messageId);
    return send(caseId, reply -> new Request.Feed(caseId, input, messageId, reply));
  }

  private CaseReply at(String caseId, String address, Function<EffectId, CaseReply> action) {
    CaseView view = status(caseId);
    return view.task(address)
        .map(task -> action.apply(task.id()))
        .orElseGet(() -> new CaseReply(Reply.LATE, view.revision()));
  }
}
