package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.effect.Receipt;
import dev.damask.event.StateView;
import dev.damask.event.TraceEvent;
import dev.damask.history.History;
import dev.damask.history.TraceCodec;
import dev.damask.history.TraceListener;
import dev.damask.history.TraceListeners;
import dev.damask.history.TraceSubscription;
import dev.damask.intake.CorruptCases;
import dev.damask.intake.Replies;
import dev.damask.intake.Request;
import dev.damask.ops.MissingProgram;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The methods of [Engine] that change no case.
abstract sealed class CaseReads permits WorkflowCalls {
  final Store store;
  final Programs programs;
  final CorruptCases corrupt = new CorruptCases();
  final TraceListeners traceListeners = new TraceListeners();

  CaseReads(Store store, Programs programs) {
    this.store = store;
    this.programs = programs;
  }

  /// Queues a request for the shard of a case.
  abstract <T> CompletableFuture<T> send(
      String caseId, Function<CompletableFuture<T>, Request> request);

  /// As [#send], for a caller that waits for the answer: if the shard is idle, the calling thread
  /// processes the request itself.
  abstract <T> CompletableFuture<T> ask(
      String caseId, Function<CompletableFuture<T>, Request> request);

  /// Throws `IllegalStateException` if the engine is closed.
  abstract void requireOpen();

  /// A case as the store has it, with its open effects, at its last durable revision.
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

  private CompletableFuture<CaseResult<Context>> awaiting(String caseId) {
    return ask(caseId, reply -> new Request.Await(caseId, reply));
  }

  /// How a case stands at its last durable revision. A case that is not in memory is read and stays
  /// out of it.
  public CaseView status(String caseId) {
    return Replies.get(ask(caseId, reply -> new Request.Look(caseId, reply)));
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
    return Views.history(store, record, programs);
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

  /// Keeps the facts of the stored cases up to date.
  abstract IndexSync index();

  /// Durable cases by workflow, status, time, attributes and what they wait for, a page at a time.
  /// A query with conditions waits while the cases of an older store, or of a workflow with changed
  /// attributes, are being indexed.
  public CasePage list(CaseQuery query) {
    requireOpen();
    if (!query.conditions().isEmpty()) {
      index().await();
    }
    return corrupt.shown(store.list(query), query);
  }

  /// The programs that are not registered although cases wait for them. The engine also logs them
  /// after it was opened. Reads all cases that have not ended if the store holds such a program.
  public List<MissingProgram> missingPrograms() {
    requireOpen();
    return programs.missing();
  }

  /// Checks the whole store and returns one sentence for each inconsistency.
  public List<String> verify() {
    return verify(_ -> {});
  }

  /// Checks the whole store and returns one sentence for each inconsistency. The progress receives
  /// from time to time how many cases were checked.
  public List<String> verify(LongConsumer progress) {
    requireOpen();
    index().await();
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
