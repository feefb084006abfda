package dev.damask.cases;

import dev.damask.caller.Actor;
import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseOrigin;
import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseView;
import dev.damask.caller.MigrationResult;
import dev.damask.caller.SignalOptions;
import dev.damask.caller.StartReply;
import dev.damask.clock.EngineClock;
import dev.damask.cluster.CaseChanges;
import dev.damask.cluster.SharedStore;
import dev.damask.description.Description;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.event.TokenId;
import dev.damask.history.History;
import dev.damask.intake.AuditedReply;
import dev.damask.intake.CaseTerms;
import dev.damask.intake.Counters;
import dev.damask.intake.Replies;
import dev.damask.intake.Request;
import dev.damask.ops.AuditLog;
import dev.damask.ops.Incidents;
import dev.damask.ops.KeptCases;
import dev.damask.ops.Migrations;
import dev.damask.ops.MissingProgram;
import dev.damask.ops.RequestKeys;
import dev.damask.ops.TaskClaim;
import dev.damask.ops.Tasks;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.task.EffectId;
import dev.damask.task.Secrets;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The methods of [Engine] that send signals, answer pending tasks, end scopes and change open sets
/// of instances.
abstract sealed class TaskInputs extends WorkflowCalls permits Engine {
  private static final System.Logger LOG = System.getLogger(Engine.class.getName());
  private static final long SWEEP_MILLIS = 500;

  final Tasks tasks;

  /// Released by each poll of a cluster's node that finds claims whose leases have ended.
  final Semaphore claimsExpired = new Semaphore(0);

  TaskInputs(Store store, Programs programs) {
    super(store, programs);
    this.tasks = new Tasks(store, claims, new TaskDesk(), () -> clock().millis());
  }

  /// Returns the tasks that wait for a person or a program, to list, claim and answer them.
  public Tasks tasks() {
    requireOpen();
    return tasks;
  }

  /// Releases the tasks whose leases have ended, until the engine is closed. In a cluster the poll
  /// tells when there are any, so that an idle node asks the database nothing more.
  void sweepClaims(CountDownLatch closed) throws InterruptedException {
    while (!closed.await(SWEEP_MILLIS, TimeUnit.MILLISECONDS)) {
      if (store instanceof SharedStore && claimsExpired.drainPermits() == 0) {
        continue;
      }
      try {
        tasks.sweep();
      } catch (StoreException | IllegalStateException e) {
        if (closed.getCount() == 0 || failure() != null) {
          return;
        }
        LOG.log(System.Logger.Level.WARNING, "leases were not checked; they are again soon", e);
      }
    }
  }

  /// Logs which programs of the store this engine does not have, and which have changed.
  final void reportMissing(Counters counters, CountDownLatch closed) {
    try {
      List<MissingProgram> missing = missingPrograms();
      counters.missing(missing);
      if (!missing.isEmpty()) {
        LOG.log(System.Logger.Level.WARNING, MissingProgram.summary(missing));
      }
      signatureChanges().forEach(each -> LOG.log(System.Logger.Level.WARNING, each.toString()));
    } catch (IllegalStateException | StoreException e) {
      if (closed.getCount() > 0) {
        throw e; // it is logged
      }
    }
  }

  private final class TaskDesk implements Tasks.Desk {
    @Override
    public CaseReply complete(TaskClaim claim, Context result) {
      return Replies.get(answer(claim, new Request.Verdict.Done(result)));
    }

    @Override
    public CaseReply fail(TaskClaim claim, String reason, String detail) {
      Replies.requireReason(reason);
      return Replies.get(answer(claim, new Request.Verdict.Failed(reason, detail)));
    }

    @Override
    public void lose(TaskClaim claim) {
      var _ = answer(claim, new Request.Verdict.Lost());
    }

    private CompletableFuture<CaseReply> answer(TaskClaim claim, Request.Verdict verdict) {
      return ask(
          claim.caseId(),
          reply -> new Request.Answer(claim.caseId(), claim.effect(), verdict, claim.id(), reply));
    }

    @Override
    public boolean owns(String caseId) {
      return TaskInputs.this.owns(caseId);
    }
  }

  /// Releases a quarantined case, which resumes from its last commit. Rejected if the case is not
  /// quarantined. Durable when it returns.
  public CaseReply retry(String caseId) {
    return Replies.get(ask(caseId, reply -> new Request.Retry(caseId, reply)));
  }

  /// Removes the data of a corrupt case. Returns false if the case can be read. The removal is
  /// durable when this method returns. The engine never does this by itself.
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

  /// Sends a signal to an external place. The signal and its consequences up to the next wait are
  /// durable when this method returns.
  public CaseReply signal(
      String caseId, String place, Map<String, ? extends @Nullable Object> payload) {
    return put(caseId, new Input.Signal(place, Context.from(payload)), null);
  }

  /// Sends a signal with a message id. If the case has consumed the id before, changes nothing and
  /// returns the earlier reply. Durable when this method returns.
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

  /// Completes a pending task with a result. The result and its receipt are durable when this
  /// method returns. A late result is stored as a receipt and changes nothing else. Rejected if the
  /// task is an approval and `by` in the result is not one of its approvers, or if the task is an
  /// effect that waits for an approval: use [#decide].
  public CaseReply completeTask(
      String caseId, EffectId task, Map<String, ? extends @Nullable Object> result) {
    Request.Verdict verdict = new Request.Verdict.Done(Context.from(result));
    return Replies.get(ask(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
  }

  /// Completes the execution with an address such as `A[2]#1`. If no pending task has exactly this
  /// address, completes the oldest one that it covers. The reply is `LATE` if there is none.
  public CaseReply completeTask(
      String caseId, String address, Map<String, ? extends @Nullable Object> result) {
    return at(caseId, address, task -> completeTask(caseId, task, result));
  }

  /// Fails the attempt of a pending task. The failure and its receipt are durable when this method
  /// returns. Rejected if the task waits for a decision of its approvers.
  public CaseReply failTask(String caseId, EffectId task, String reason) {
    Replies.requireReason(reason);
    Request.Verdict verdict = new Request.Verdict.Failed(reason, "");
    return Replies.get(ask(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
  }

  /// Fails the attempt of the execution with an address; see [#completeTask(String, String, Map)].
  public CaseReply failTask(String caseId, String address, String reason) {
    return at(caseId, address, task -> failTask(caseId, task, reason));
  }

  /// Approves or rejects a task that waits for an approval. On behalf of an actor, see [#as], the
  /// actor decides and `by` is ignored. The decision and its receipt are durable when this method
  /// returns, and the call of an approved effect is scheduled. Rejected if the task waits for no
  /// decision or `by` is not one of its approvers.
  public CaseReply decide(String caseId, EffectId task, boolean isApproved, String by) {
    Bounds.requireName(by);
    Request.Verdict verdict = new Request.Verdict.Decided(isApproved, by);
    return Replies.get(ask(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
  }

  /// Decides about the execution with an address; see [#completeTask(String, String, Map)].
  public CaseReply decide(String caseId, String address, boolean isApproved, String by) {
    return at(caseId, address, task -> decide(caseId, task, isApproved, by));
  }

  /// Cancels a pending task. Durable when this method returns.
  public CaseReply cancelTask(String caseId, EffectId task) {
    Request.Verdict verdict = new Request.Verdict.Withdrawn();
    return Replies.get(ask(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
  }

  /// Cancels the execution with an address; see [#completeTask(String, String, Map)].
  public CaseReply cancelTask(String caseId, String address) {
    return at(caseId, address, task -> cancelTask(caseId, task));
  }

  /// Returns the audit log: who did what to which case.
  public AuditLog audit() {
    requireOpen();
    return new AuditLog(store, clock()::millis);
  }

  /// Returns the payload of a task with its secrets, as a handler of this engine receives it. Pass
  /// it to programs only that may know the secrets, and store it nowhere.
  public Context withSecrets(Context payload) {
    Context[] filled = {payload};
    payload.forEach((key, value) ->
        filled[0] = filled[0].with(key, Secrets.fill(value, calls().options.secrets())));
    return filled[0];
  }

  /// Returns the changes of the cases of all nodes; empty if the store is not shared. Listeners of
  /// this engine receive only the changes of its own cases.
  public Optional<CaseChanges> changes() {
    requireOpen();
    return store instanceof SharedStore shared ? Optional.of(shared.changes()) : Optional.empty();
  }

  /// Returns the replies to requests that callers may repeat. Each call returns keys of their own
  /// process: call it once per server.
  public RequestKeys requestKeys() {
    requireOpen();
    RequestKeys.Changer changer =
        store instanceof SharedStore shared
            ? (key, before, rows) -> shared.replace(RequestKeys.KIND, key, 1, before, rows)
            : (_, _, rows) -> store.commit(CommitBatch.ofRows(rows));
    String run = UUID.randomUUID().toString();
    return new RequestKeys(
        store.table(), changer, store instanceof SharedStore, clock()::millis, run);
  }

  private EngineClock clock() {
    return calls().options.clock();
  }

  /// Performs an action on behalf of an actor: every change that it makes through this engine, on
  /// this thread, has an entry in the audit log. The entry is part of the commit that makes the
  /// change; a request that is refused has an entry of its own. Actions that are no requests to
  /// cases, such as [#register], have none.
  public <T> T as(Actor actor, Function<Engine, T> action) {
    return ScopedValue.where(AuditedReply.ACTOR, actor).call(() -> action.apply((Engine) this));
  }

  final <T> Function<CompletableFuture<T>, Request> audited(
      Function<CompletableFuture<T>, Request> request) {
    return AuditedReply.of(request, store, clock()::millis);
  }

  /// Pauses a case: it stores its inputs, moves nothing and calls nothing until it is resumed.
  /// Calls in progress continue; their results are stored. Rejected if the case is paused. Durable
  /// when it returns. Throws `IllegalArgumentException` if the reason is empty or too long.
  public CaseReply pause(String caseId, String reason) {
    Replies.requireGiven(reason);
    return Replies.get(ask(caseId, reply -> new Request.PauseCase(caseId, reason, reply)));
  }

  /// Resumes a paused case: results of tasks that came in the meantime are applied, timers that
  /// came due fire, and then the other inputs are applied in the order they came. Rejected if the
  /// case is not paused. Durable when it returns.
  public CaseReply resume(String caseId) {
    return Replies.get(ask(caseId, reply -> new Request.ResumeCase(caseId, reply)));
  }

  /// Writes keys of the context of one token, see `CaseView.tokens`. The reply is `LATE` if the
  /// token does not wait, and `REJECTED` if its context would be too large. The request of a task
  /// that waits stays the same. A paused case is changed at once. Durable when it returns. Throws
  /// `IllegalArgumentException` if the reason is empty or too long.
  public CaseReply changeData(
      String caseId, int token, Map<String, ? extends @Nullable Object> values, String reason) {
    Replies.requireGiven(reason);
    Context written = Context.from(values);
    return put(caseId, new Input.ChangeData(new TokenId(token), written, reason), null);
  }

  /// Starts a case with the input and the options of another one, in the version of its workflow
  /// that is registered now. Throws `IllegalStateException` if the input was not kept, and
  /// `IllegalArgumentException` if this version does not accept it.
  public StartReply startAgain(String caseId, String newId) {
    History history = history(caseId);
    CaseRecord record = store.record(caseId).orElseThrow(() -> Views.unknown(caseId));
    Program named = programs.named(record.workflow());
    Program program = named == null ? programs.find(record.program()) : named;
    if (program == null) {
      throw new IllegalStateException(Views.missing(record));
    }
    Replies.requireNewId(newId, List.of());
    CaseOptions own = CaseTerms.decode(record.terms()).options();
    Context input = history.input();
    Replies.requireInput(program, newId, input);
    return Replies.get(
        ask(newId, reply -> new Request.Start(newId, program, input, own, List.of(), reply)));
  }

  /// Starts a case with the state and the receipts that another one had at a position of its
  /// history. Tasks that were open begin again, with new idempotency keys; a key that the workflow
  /// computes stays as it computes it. Throws `IllegalArgumentException` if another case has the
  /// id, and `IllegalStateException` if the case had ended at the position.
  public StartReply startAgain(String caseId, String newId, long position) {
    history(caseId); // everything before is durable
    Replies.requireNewId(newId, List.of());
    CaseOrigin origin = new CaseOrigin(caseId, position);
    return Replies.get(ask(newId, reply -> new Request.CopyCase(newId, origin, reply)));
  }

  /// Removes a case that has ended, with its receipts, trace and journal. Returns false if the case
  /// has not ended. Durable when it returns. Throws `IllegalStateException` if the case is the last
  /// session of an orchestration, which keeps its number from being used again.
  public boolean delete(String caseId) {
    if (KeptCases.contains(store, caseId)) {
      throw new IllegalStateException(
          "case " + caseId + " is the last session of its owner; start another one first");
    }
    return Replies.get(
        ask(caseId, reply -> new Request.Remove(caseId, Long.MAX_VALUE, false, reply)));
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
      WorkflowDefinition definition = workflow.definition();
      if (definition.declared().isDescription()) {
        return Description.compile(definition);
      }
      register(workflow);
      return programs.register(definition);
    }

    @Override
    public Optional<Program> code(ProgramHash hash) {
      return Optional.ofNullable(programs.find(hash));
    }

    @Override
    public Optional<Program> described(ProgramHash hash) {
      return Optional.ofNullable(programs.descriptions().find(hash));
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

  /// Cancels every open activation of a scope, a set of instances or a task. Durable when this
  /// method returns.
  public CaseReply cancel(String caseId, String scope) {
    return cancel(caseId, scope, "");
  }

  /// Cancels as [#cancel(String, String)] does, with a reason for people. It is kept in the result,
  /// the trace and the views of the case; `scope` is `case` for the whole.
  public abstract CaseReply cancel(String caseId, String scope, String reason);

  /// Completes every open activation of a scope. Durable when this method returns.
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
