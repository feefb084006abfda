package dev.damask.cli.run;

import dev.damask.cases.Engine;
import dev.damask.event.Reply;
import dev.damask.task.EffectId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Sends events to a case of an engine.
record EngineEvents(Engine engine, String caseId) implements PlayedCase {
  @Override
  public Reply complete(EffectId task, Map<String, @Nullable Object> result) {
    return engine.completeTask(caseId, task, result).kind();
  }

  @Override
  public Reply fail(EffectId task, String reason) {
    return engine.failTask(caseId, task, reason).kind();
  }

  @Override
  public Reply retry(EffectId task) {
    return engine.incidents().retry(caseId, task).kind();
  }

  @Override
  public Reply cancel(EffectId task) {
    return engine.cancelTask(caseId, task).kind();
  }

  @Override
  public Reply signal(String place, Map<String, @Nullable Object> payload, String messageId) {
    return engine.signal(caseId, place, payload, messageId).kind();
  }

  @Override
  public Reply cancel(String region) {
    return engine.cancel(caseId, region).kind();
  }

  @Override
  public Reply complete(String region) {
    return engine.complete(caseId, region).kind();
  }

  @Override
  public Reply add(String set) {
    return engine.addInstance(caseId, set).kind();
  }

  @Override
  public Reply add(String set, @Nullable Object item) {
    return engine.addInstance(caseId, set, item).kind();
  }

  @Override
  public Reply close(String set) {
    return engine.closeInstances(caseId, set).kind();
  }
}
