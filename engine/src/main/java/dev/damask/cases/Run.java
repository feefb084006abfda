package dev.damask.cases;

import dev.damask.caller.CaseCancelledException;
import dev.damask.caller.CaseFailedException;
import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseStuckException;
import dev.damask.caller.CaseView;
import dev.damask.caller.SignalOptions;
import dev.damask.caller.StartReply;
import dev.damask.effect.Receipt;
import dev.damask.event.StateView;
import dev.damask.event.TraceEvent;
import dev.damask.family.CaseFamily;
import dev.damask.history.TraceListener;
import dev.damask.history.TraceSubscription;
import dev.damask.ops.CaseEvent;
import dev.damask.ops.CaseListeners;
import dev.damask.task.EffectId;
import dev.damask.term.ExternalTask;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A handle on one case. It holds nothing but the id: every method is the one of [Engine] with the
/// same name, and promises the same.
///
/// @param workflow encodes the payloads of typed signals and decodes the result
/// @param reply what `start` replied; in a handle that [Engine#run] made its revision is 0
/// @param <O> the result of the case
public record Run<O>(Engine engine, Workflow<?, O> workflow, String caseId, StartReply reply) {
  /// The durable revision of the case when `start` returned; 0 in a handle of [Engine#run].
  public long revision() {
    return reply.revision();
  }

  /// Sends a signal with a payload to a place.
  public CaseReply signal(String place, Map<String, ? extends @Nullable Object> payload) {
    return engine.signal(caseId, place, payload);
  }

  /// Sends a signal without a payload to a place.
  public CaseReply signal(String place) {
    return engine.signal(caseId, place, Map.of());
  }

  /// Sends a signal with a message id, a tracing context, or both.
  public CaseReply signal(
      String place, Map<String, ? extends @Nullable Object> payload, SignalOptions own) {
    return engine.signal(caseId, place, payload, own);
  }

  /// Sends a signal once: a message id that the case has consumed before changes nothing.
  public CaseReply signal(
      String place, Map<String, ? extends @Nullable Object> payload, String messageId) {
    return engine.signal(caseId, place, payload, messageId);
  }

  /// Sends a typed signal, as [Engine#signal] does. Throws `IllegalArgumentException` with the path
  /// of a part of the payload that cannot be encoded.
  public <T> CaseReply signal(Signal<T> signal, T payload) {
    return engine.signal(caseId, signal.name(), workflow.payload(signal, payload).toMap());
  }

  /// Sends a typed signal once: a message id that the case has consumed before changes nothing.
  public <T> CaseReply signal(Signal<T> signal, T payload, String messageId) {
    Map<String, @Nullable Object> encoded = workflow.payload(signal, payload).toMap();
    return engine.signal(caseId, signal.name(), encoded, messageId);
  }

  /// Sends a signal without a payload.
  public CaseReply signal(Signal<Void> signal) {
    return engine.signal(caseId, signal.name(), Map.of());
  }

  /// Waits until the case has ended or is stuck. Throws `IllegalArgumentException` if the result
  /// cannot be decoded.
  public CaseResult<O> await() throws InterruptedException {
    return engine.await(caseId).map(workflow::decode);
  }

  /// Waits until the case has ended or is stuck, and passes it to a consumer whenever it has a new
  /// durable revision, see [Engine#await(String, Consumer)].
  public CaseResult<O> await(Consumer<CaseView> progress) throws InterruptedException {
    return engine.await(caseId, progress).map(workflow::decode);
  }

  /// Calls a listener after every durable revision of the case.
  public CaseListeners.Subscription listen(Consumer<CaseEvent> listener) {
    return engine.listen(caseId, listener);
  }

  /// Waits at most so long; empty if the case may still move then.
  public Optional<CaseResult<O>> await(Duration time) throws InterruptedException {
    return engine.await(caseId, time).map(end -> end.map(workflow::decode));
  }

  /// Waits for the end of the case and returns its result. Throws [CaseFailedException],
  /// [CaseCancelledException] or [CaseStuckException] if the case has none, and
  /// `IllegalStateException` if the thread is interrupted; the case then continues.
  public O join() {
    try {
      return await().orElseThrow(caseId);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for case " + caseId, e);
    }
  }

  /// Returns the end of the case as a stage. Dependent actions run on a thread of their own.
  public CompletionStage<CaseResult<O>> result() {
    return engine.result(caseId).thenApply(end -> end.map(workflow::decode));
  }

  /// The parent and the children of the case, as [Engine#family] returns them.
  public CaseFamily family() {
    return engine.family(caseId);
  }

  /// Returns the data of the case now: every token with its place in the source and its context,
  /// the joined context, what it waits for and its attributes.
  public CaseView status() {
    return engine.status(caseId);
  }

  /// Cancels the case.
  public CaseReply cancel() {
    return engine.cancel(caseId);
  }

  /// Cancels an open scope of the case.
  public CaseReply cancel(String scope) {
    return engine.cancel(caseId, scope);
  }

  /// Cancels an open scope of the case with a reason, which results, views and traces contain.
  public CaseReply cancel(String scope, String reason) {
    return engine.cancel(caseId, scope, reason);
  }

  /// Ends an open scope of the case as completed.
  public CaseReply complete(String scope) {
    return engine.complete(caseId, scope);
  }

  /// Adds an instance to an open set of instances.
  public CaseReply addInstance(String instances) {
    return engine.addInstance(caseId, instances);
  }

  /// Adds an instance with an item to an open set of instances.
  public CaseReply addInstance(String instances, @Nullable Object item) {
    return engine.addInstance(caseId, instances, item);
  }

  /// Closes an open set of instances: no further instance can be added.
  public CaseReply closeInstances(String instances) {
    return engine.closeInstances(caseId, instances);
  }

  /// Completes a waiting task with a result.
  public CaseReply completeTask(EffectId task, Map<String, ? extends @Nullable Object> result) {
    return engine.completeTask(caseId, task, result);
  }

  /// Completes the waiting task at an address, such as `ship` or `ship#2`, with a result.
  public CaseReply completeTask(String address, Map<String, ? extends @Nullable Object> result) {
    return engine.completeTask(caseId, address, result);
  }

  /// Completes a waiting typed task. Throws `IllegalArgumentException` with the path of a part of
  /// the result that cannot be encoded.
  public <T> CaseReply completeTask(ExternalTask<T> task, T result) {
    return completeTask(task.name(), task, result);
  }

  /// Completes the waiting typed task at an address, such as `review#2`.
  public <T> CaseReply completeTask(String address, ExternalTask<T> task, T result) {
    Signal<T> form = new Signal<>(task.name(), task.result());
    return completeTask(address, workflow.payload(form, result).toMap());
  }

  /// Approves or rejects the waiting task at an address. On behalf of an actor, the actor decides
  /// and `by` is ignored. Rejected if the task waits for no decision or `by` is not an approver.
  public CaseReply decide(String address, boolean isApproved, String by) {
    return engine.decide(caseId, address, isApproved, by);
  }

  /// Fails the waiting task at an address.
  public CaseReply failTask(String address, String reason) {
    return engine.failTask(caseId, address, reason);
  }

  /// Cancels the waiting task at an address.
  public CaseReply cancelTask(String address) {
    return engine.cancelTask(caseId, address);
  }

  /// Fails a waiting task.
  public CaseReply failTask(EffectId task, String reason) {
    return engine.failTask(caseId, task, reason);
  }

  /// Cancels a waiting task.
  public CaseReply cancelTask(EffectId task) {
    return engine.cancelTask(caseId, task);
  }

  /// Releases the case from quarantine.
  public CaseReply retry() {
    return engine.retry(caseId);
  }

  /// Returns tokens, scopes, branches, join counters and places as data.
  public StateView state() {
    return engine.state(caseId);
  }

  /// Returns whether the last activation of a scope was cancelled.
  public boolean isCancelled(String scope) {
    return engine.isCancelled(caseId, scope);
  }

  /// Returns the stored trace.
  public List<TraceEvent> trace() {
    return engine.trace(caseId);
  }

  /// Returns the part of the stored trace between two steps.
  public List<TraceEvent> trace(long fromStep, long toStep) {
    return engine.trace(caseId, fromStep, toStep);
  }

  /// Passes the trace events of the case to a listener while it runs.
  public TraceSubscription subscribe(TraceListener listener) {
    return engine.subscribe(caseId, listener);
  }

  /// Returns a receipt by its number.
  public Optional<Receipt> receipt(long number) {
    return engine.receipt(caseId, number);
  }

  /// Returns all receipts of the case, the oldest first.
  public List<Receipt> receipts() {
    return engine.receipts(caseId);
  }
}
