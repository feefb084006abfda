package dev.damask.cases;

import dev.damask.effect.Receipt;
import dev.damask.event.StateView;
import dev.damask.event.TraceEvent;
import dev.damask.task.EffectId;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
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

  public CaseReply signal(String place, Map<String, ? extends @Nullable Object> payload) {
    return engine.signal(caseId, place, payload);
  }

  public CaseReply signal(String place) {
    return engine.signal(caseId, place, Map.of());
  }

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

  public CompletionStage<CaseResult<O>> result() {
    return engine.result(caseId).thenApply(end -> end.map(workflow::decode));
  }

  public CaseView status() {
    return engine.status(caseId);
  }

  public CaseReply cancel() {
    return engine.cancel(caseId);
  }

  public CaseReply cancel(String scope) {
    return engine.cancel(caseId, scope);
  }

  public CaseReply cancel(String scope, String reason) {
    return engine.cancel(caseId, scope, reason);
  }

  public CaseReply complete(String scope) {
    return engine.complete(caseId, scope);
  }

  public CaseReply addInstance(String instances) {
    return engine.addInstance(caseId, instances);
  }

  public CaseReply addInstance(String instances, @Nullable Object item) {
    return engine.addInstance(caseId, instances, item);
  }

  public CaseReply closeInstances(String instances) {
    return engine.closeInstances(caseId, instances);
  }

  public CaseReply completeTask(EffectId task, Map<String, ? extends @Nullable Object> result) {
    return engine.completeTask(caseId, task, result);
  }

  public CaseReply completeTask(String address, Map<String, ? extends @Nullable Object> result) {
    return engine.completeTask(caseId, address, result);
  }

  public CaseReply failTask(String address, String reason) {
    return engine.failTask(caseId, address, reason);
  }

  public CaseReply cancelTask(String address) {
    return engine.cancelTask(caseId, address);
  }

  public CaseReply failTask(EffectId task, String reason) {
    return engine.failTask(caseId, task, reason);
  }

  public CaseReply cancelTask(EffectId task) {
    return engine.cancelTask(caseId, task);
  }

  public CaseReply retry() {
    return engine.retry(caseId);
  }

  public StateView state() {
    return engine.state(caseId);
  }

  public boolean isCancelled(String scope) {
    return engine.isCancelled(caseId, scope);
  }

  public List<TraceEvent> trace() {
    return engine.trace(caseId);
  }

  public List<TraceEvent> trace(long fromStep, long toStep) {
    return engine.trace(caseId, fromStep, toStep);
  }

  public TraceSubscription subscribe(TraceListener listener) {
    return engine.subscribe(caseId, listener);
  }

  public Optional<Receipt> receipt(long number) {
    return engine.receipt(caseId, number);
  }

  public List<Receipt> receipts() {
    return engine.receipts(caseId);
  }
}
