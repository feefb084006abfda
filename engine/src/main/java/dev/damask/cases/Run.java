package dev.damask.cases;

import dev.damask.effect.Receipt;
import dev.damask.exec.Reply;
import dev.damask.exec.TraceEvent;
import dev.damask.task.EffectId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// A handle on one case. It holds nothing but the id: every method is the one of [Engine] with the
/// same name, and promises the same.
public record Run(Engine engine, String caseId) {
  public Reply signal(String place, Map<String, ? extends @Nullable Object> payload) {
    return engine.signal(caseId, place, payload);
  }

  public Reply signal(String place) {
    return engine.signal(caseId, place, Map.of());
  }

  public Reply signal(
      String place, Map<String, ? extends @Nullable Object> payload, String messageId) {
    return engine.signal(caseId, place, payload, messageId);
  }

  public CaseResult await() throws InterruptedException {
    return engine.await(caseId);
  }

  public Optional<CaseResult> await(Duration time) throws InterruptedException {
    return engine.await(caseId, time);
  }

  public CompletionStage<CaseResult> result() {
    return engine.result(caseId);
  }

  public CaseView status() {
    return engine.status(caseId);
  }

  public Reply cancel() {
    return engine.cancel(caseId);
  }

  public Reply cancel(String scope) {
    return engine.cancel(caseId, scope);
  }

  public Reply complete(String scope) {
    return engine.complete(caseId, scope);
  }

  public Reply addInstance(String instances) {
    return engine.addInstance(caseId, instances);
  }

  public Reply addInstance(String instances, @Nullable Object item) {
    return engine.addInstance(caseId, instances, item);
  }

  public Reply closeInstances(String instances) {
    return engine.closeInstances(caseId, instances);
  }

  public Reply completeTask(EffectId task, Map<String, ? extends @Nullable Object> result) {
    return engine.completeTask(caseId, task, result);
  }

  public Reply failTask(EffectId task, String reason) {
    return engine.failTask(caseId, task, reason);
  }

  public Reply cancelTask(EffectId task) {
    return engine.cancelTask(caseId, task);
  }

  public boolean retry() {
    return engine.retry(caseId);
  }

  public List<TraceEvent> trace() {
    return engine.trace(caseId);
  }

  public List<Receipt> receipts() {
    return engine.receipts(caseId);
  }
}
