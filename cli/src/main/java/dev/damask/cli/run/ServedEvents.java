package dev.damask.cli.run;

import dev.damask.caller.SignalOptions;
import dev.damask.cli.cases.ServerInputs;
import dev.damask.cli.command.ServerClient;
import dev.damask.event.Reply;
import dev.damask.task.EffectId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Sends events to a case of a server.
record ServedEvents(ServerInputs inputs) implements PlayedCase {
  /// Returns the events of a case. Throws [dev.damask.cli.command.Refusal] if it does not exist.
  static ServedEvents open(ServerClient server, String caseId) {
    return new ServedEvents(ServerInputs.open(server, caseId, null));
  }

  @Override
  public Reply complete(EffectId task, Map<String, @Nullable Object> result) {
    return inputs.completeTask(task, result).kind();
  }

  @Override
  public Reply fail(EffectId task, String reason) {
    return inputs.failTask(task, reason).kind();
  }

  @Override
  public Reply retry(EffectId task) {
    return inputs.retryTask(task).kind();
  }

  @Override
  public Reply cancel(EffectId task) {
    return inputs.cancelTask(task).kind();
  }

  @Override
  public Reply signal(String place, Map<String, @Nullable Object> payload, String messageId) {
    SignalOptions options = SignalOptions.NONE.withMessageId(messageId);
    return inputs.signal(place, payload, options).kind();
  }

  @Override
  public Reply cancel(String region) {
    return inputs.cancel(region, "").kind();
  }

  @Override
  public Reply complete(String region) {
    return inputs.complete(region).kind();
  }

  @Override
  public Reply add(String set) {
    return inputs.addInstance(set).kind();
  }

  @Override
  public Reply add(String set, @Nullable Object item) {
    return inputs.addInstance(set, item).kind();
  }

  @Override
  public Reply close(String set) {
    return inputs.closeInstances(set).kind();
  }
}
