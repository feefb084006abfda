package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.effect.Receipt;
import dev.damask.event.StateView;
import dev.damask.event.TraceEvent;
import dev.damask.family.CaseFamily;
import dev.damask.history.History;
import dev.damask.history.TraceCodec;
import dev.damask.history.TraceListener;
import dev.damask.history.TraceListeners;
import dev.damask.history.TraceSubscription;
import dev.damask.intake.CorruptCases;
import dev.damask.intake.IndexSync;
import dev.damask.intake.Replies;
import dev.damask.intake.Request;
import dev.damask.ops.CaseEvent;
import dev.damask.ops.CaseListeners;
import dev.damask.ops.DescriptionRows;
import dev.damask.ops.EndedCases;
import dev.damask.ops.MissingProgram;
import dev.damask.ops.SignatureChange;
import dev.damask.ops.TaskClaims;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.AttributeRows;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoredProgram;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The methods of [Engine] that change no case.
abstract sealed class CaseReads permits WorkflowCalls {
  final Store store;
  final Programs programs;
  final CorruptCases corrupt = new CorruptCases();
  final TraceListeners traceListeners = new TraceListeners();
  final CaseListeners caseListeners = new CaseListeners();
  final IndexSync index;
  final TaskClaims claims;

  CaseReads(Store store, Programs programs) {
    this.store = store;
    this.programs = programs;
    this.index = new IndexSync(new Indexed(), store);
    this.claims = TaskClaims.of(store);
  }

  /// The engine as its index sees it.
  private final class Indexed implements IndexSync.Host {
    @Override
    public void listen(String name, Runnable task) {
      CaseReads.this.listen(name, task);
    }

    @Override
    public boolean isOpen() {
      try {
        requireOpen();
        return failure() == null;
      } catch (IllegalStateException e) {
        return false;
      }
    }

    @Override
    public boolean knows(ProgramHash program) {
      return programs.find(program) != null;
    }

    @Override
    public CompletableFuture<Boolean> index(String caseId) {
      return send(caseId, reply -> new Request.Index(caseId, reply));
    }
  }

  /// Queues a request for the shard of a case.
  abstract <T> CompletableFuture<T> send(
      String caseId, Function<CompletableFuture<T>, Request> request);

  /// As [#send], for a caller that waits for the answer: if the shard is idle, the calling thread
  /// processes the request itself.
  abstract <T> CompletableFuture<T> ask(
      String caseId, Function<CompletableFuture<T>, Request> request);

  abstract EngineOptions options();

  /// Throws `IllegalStateException` if the engine is closed.
  abstract void requireOpen();

  /// Calls a listener on its own thread.
  abstract void listen(String name, Runnable task);

  /// The failure that has stopped the engine; null if none has.
  abstract @Nullable StoreException failure();

  /// Returns why the engine stopped working before it was closed, such as a store that cannot be
  /// written; empty while it works.
  public Optional<StoreException> stopReason() {
    return Optional.ofNullable(failure());
  }

  /// Returns the last durable revision of a case with its open effects.
  public Store.LoadedCase read(String caseId) {
    settle(caseId);
    return store.load(caseId).orElseThrow(() -> Views.unknown(caseId));
  }

  /// Waits until everything that was asked for before is durable.
  private void settle(String caseId) {
    boolean isThere = Replies.get(ask(caseId, reply -> new Request.Settle(caseId, reply)));
    if (!isThere) {
      throw Views.unknown(caseId);
    }
  }

  /// The durable result of a case that has just ended; null if the shard must be asked.
  abstract @Nullable CaseResult<Context> known(String caseId);

  /// Waits until a case has ended or is stuck. The result is durable.
  public CaseResult<Context> await(String caseId) throws InterruptedException {
    CaseResult<Context> known = known(caseId);
    return known == null ? Replies.await(awaiting(caseId)) : known;
  }

  /// Waits until a case has ended or is stuck, or the time is up; empty then. The case continues.
  public Optional<CaseResult<Context>> await(String caseId, Duration time)
      throws InterruptedException {
    CaseResult<Context> known = known(caseId);
    return known == null ? Replies.await(awaiting(caseId), time) : Optional.of(known);
  }

  /// Waits until a case has ended or is stuck, and passes it to a consumer whenever it has a new
  /// durable revision, the last one included. Revisions that follow each other quickly are passed
  /// as one. The consumer is called on the calling thread. A case that another node of a cluster
  /// moves is passed when it has ended.
  public CaseResult<Context> await(String caseId, Consumer<CaseView> progress)
      throws InterruptedException {
    Semaphore changes = new Semaphore(0);
    CaseListeners.Subscription subscription = caseListeners.add(caseId, event -> changes.release());
    try {
      CompletableFuture<CaseResult<Context>> end = awaiting(caseId);
      var _ = end.whenComplete((result, thrown) -> changes.release());
      long shown = -1;
      boolean isOver = false;
      while (!isOver) {
        isOver = end.isDone();
        CaseView view = status(caseId);
        if (view.revision() != shown) {
          shown = view.revision();
          progress.accept(view);
        }
        if (!isOver) {
          changes.acquire();
          changes.drainPermits();
        }
      }
      return Replies.await(end);
    } finally {
      subscription.close();
    }
  }

  /// Calls a listener after every durable revision of a case from now on, until the subscription is
  /// closed. The case need not exist yet. The listener must return quickly: it delays the answers
  /// to callers. A case that another node of a cluster moves calls the listeners of that node.
  public CaseListeners.Subscription listen(String caseId, Consumer<CaseEvent> listener) {
    return caseListeners.add(caseId, listener);
  }

  /// Calls a listener after every durable revision of every case from now on, until the
  /// subscription is closed. The listener must return quickly: it delays the answers to callers.
  public CaseListeners.Subscription listen(Consumer<CaseEvent> listener) {
    return caseListeners.add(null, listener);
  }

  /// Returns the record of a case at its last durable revision; empty if the case does not exist.
  /// Reads neither its effects nor its state.
  public Optional<CaseRecord> record(String caseId) {
    requireOpen();
    return store.record(caseId);
  }

  /// Returns the ids that begin with a prefix, in their order, at most this many.
  public List<String> ids(String prefix, int limit) {
    return ids(prefix, "", limit);
  }

  /// Returns the ids after another one that begin with a prefix, in their order, at most this many.
  public List<String> ids(String prefix, String after, int limit) {
    requireOpen();
    return store.ids(prefix, after, limit);
  }

  /// Returns the programs that the store knows, in no particular order.
  public List<StoredProgram> programs() {
    requireOpen();
    return store.programs();
  }

  /// Returns a program that the store knows, with its document if there is one.
  public Optional<StoredProgram> program(ProgramHash hash) {
    requireOpen();
    return store.program(hash);
  }

  /// Returns the workflow of a program that is written in Java, as its stored description has it:
  /// without functions, for people and diagrams. Empty if the store has no description.
  public Optional<WorkflowDefinition> described(ProgramHash hash) {
    requireOpen();
    return DescriptionRows.find(store, hash).map(DescriptionRows.Described::workflow);
  }

  /// Returns the program that new cases of a workflow get: the one that was registered last, or the
  /// only one that the store has a document of; empty if there is none.
  public Optional<Program> current(String workflow) {
    requireOpen();
    return Optional.ofNullable(programs.named(workflow));
  }

  /// Returns the workflow that was registered last under a name; empty if none was.
  public Optional<WorkflowDefinition> workflow(String name) {
    return programs.definition(name);
  }

  /// Returns the cases that have ended after one, in the order in which their ends became durable.
  /// The order survives restarts; retention removes a case from it.
  ///
  /// @param after the cursor of the last case that the caller has seen; empty for the first
  public List<Store.EndedCase> ended(String after, int limit) {
    requireOpen();
    return store.ended(after, limit);
  }

  /// Opens the stream of cases that have ended after one, see [#ended(String, int)]. It waits for
  /// cases that have not ended yet. Must be closed.
  public EndedCases ended(String after) {
    requireOpen();
    return new EndedCases(this::ended, caseListeners, after);
  }

  private CompletableFuture<CaseResult<Context>> awaiting(String caseId) {
    return ask(caseId, reply -> new Request.Await(caseId, reply));
  }

  /// The status of a case at its last durable revision. A case that is not in memory is read and
  /// stays out of it.
  public CaseView status(String caseId) {
    return Replies.get(ask(caseId, reply -> new Request.Look(caseId, reply)));
  }

  /// The parent and the children of a case at its last durable revision, at most
  /// [CaseFamily#CHILDREN_MAX] children.
  public CaseFamily family(String caseId) {
    settle(caseId);
    return CaseFamily.read(store, caseId);
  }

  /// What was traced up to the last durable revision; empty at level none.
  public List<TraceEvent> trace(String caseId) {
    return trace(caseId, 0, Long.MAX_VALUE);
  }

  /// The tokens, scopes, branches, joins and places of a case at its last durable revision. A case
  /// that is not in memory is read and stays out of it. Throws `IllegalStateException` if its
  /// program is missing.
  public StateView state(String caseId) {
    return Replies.get(ask(caseId, reply -> new Request.Inspect(caseId, reply)));
  }

  /// Returns the kept past of a case up to its last durable revision. Throws
  /// `IllegalArgumentException` if the case does not exist.
  public History history(String caseId) {
    settle(caseId);
    CaseRecord record = store.record(caseId).orElseThrow(() -> Views.unknown(caseId));
    return Views.history(store, record, programs, true);
  }

  /// Whether the last activation of a scope was cancelled; for `case` whether the case was.
  public boolean isCancelled(String caseId, String scope) {
    return state(caseId).isCancelled(scope);
  }

  /// The trace from one step to another, both included.
  public List<TraceEvent> trace(String caseId, long fromStep, long toStep) {
    settle(caseId);
    return TraceCodec.decode(store.trace(caseId), fromStep, toStep);
  }

  /// Passes the trace of every case to a listener from now on, as it becomes durable.
  public TraceSubscription subscribe(TraceListener listener) {
    return traceListeners.add(null, listener);
  }

  /// Passes the trace of one case to a listener; the case need not exist yet.
  public TraceSubscription subscribe(String caseId, TraceListener listener) {
    return traceListeners.add(caseId, listener);
  }

  /// The receipts up to the last durable revision, in order.
  public List<Receipt> receipts(String caseId) {
    settle(caseId);
    return store.receipts(caseId);
  }

  /// The receipt with a number, from 1; empty if the case has none of that number.
  public Optional<Receipt> receipt(String caseId, long number) {
    return receipts(caseId).stream().filter(each -> each.number() == number).findFirst();
  }

  /// The receipt of the effect that was performed under a user's idempotency key, and its case.
  public Optional<Store.KeyedReceipt> receiptByKey(String type, String key) {
    return store.receiptByKey(type, key);
  }

  /// Durable cases by workflow, status, time, attributes and what they wait for, a page at a time.
  /// A query with conditions waits while the cases of an older store, or of a workflow with changed
  /// attributes, are being indexed.
  public CasePage list(CaseQuery query) {
    requireOpen();
    if (!query.conditions().isEmpty()) {
      index.await();
    }
    return corrupt.shown(store.list(query), query);
  }

  /// Returns one sentence for each workflow whose cases a query may miss, because no engine that
  /// knows it has indexed them.
  public List<String> notIndexed(CaseQuery query) {
    requireOpen();
    return AttributeRows.notIndexed(store, query);
  }

  /// The programs that are not registered although cases wait for them. The engine also logs them
  /// after it was opened. Reads all cases that have not ended if the store holds such a program.
  public List<MissingProgram> missingPrograms() {
    requireOpen();
    return programs.missing();
  }

  /// The scopes of known workflows that name a listener without [EngineOptions#withNamedListener],
  /// one sentence each. The engine also logs them when it is opened and when a workflow becomes
  /// known.
  public List<String> unknownListeners() {
    return programs.unknownListeners(options().namedListeners().keySet());
  }

  /// Returns the handlers of registered workflows whose signature has changed since cases that have
  /// not ended were started. The engine also logs them when it is opened.
  public List<SignatureChange> signatureChanges() {
    return programs.signatureChanges(options().clock().millis());
  }

  /// Checks the whole store and returns one sentence for each inconsistency.
  public List<String> verify() {
    return verify(_ -> {});
  }

  /// Checks the whole store and returns one sentence for each inconsistency. The progress receives
  /// from time to time how many cases were checked.
  public List<String> verify(LongConsumer progress) {
    requireOpen();
    index.await();
    return new Inspection(store, programs).run(progress);
  }

  /// Writes a copy of the store that can be opened like the original, while the engine runs. It
  /// holds at least everything that was acknowledged before the call.
  ///
  /// @param folder must not exist yet
  public void backup(Path folder) {
    backup(folder, Store.Backup.COPIES);
  }

  /// Writes a copy of the store, with hard links to its files if `files` requests them.
  public void backup(Path folder, Store.Backup files) {
    requireOpen();
    store.backup(folder, files);
  }
}
