package dev.damask.cli.run;

import dev.damask.event.Reply;
import dev.damask.task.EffectId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The case that the events of a file are sent to.
interface PlayedCase {
  Reply complete(EffectId task, Map<String, @Nullable Object> result);

  Reply fail(EffectId task, String reason);

  /// Retries a task that is an incident.
  Reply retry(EffectId task);

  Reply cancel(EffectId task);

  Reply signal(String place, Map<String, @Nullable Object> payload, String messageId);

  /// Cancels a region.
  Reply cancel(String region);

  /// Completes a region early.
  Reply complete(String region);

  /// Adds an instance without an item.
  Reply add(String set);

  Reply add(String set, @Nullable Object item);

  Reply close(String set);
}
