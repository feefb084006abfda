package dev.damask.document;

import dev.damask.task.Context;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What must be true when a scenario is over.
///
/// @param status null when the scenario does not say
/// @param reason null when the scenario does not say
/// @param never tasks that never ran
/// @param count how often tasks ran, over all instances
/// @param context keys that must have these values; others are free
public record ScenarioEnd(
    @Nullable Status status,
    @Nullable String reason,
    List<String> never,
    Map<String, Integer> count,
    Context context) {
  /// How a case stands.
  public enum Status {
    COMPLETED,
    CANCELLED,
    FAILED,
    WAITING,
    DEADLOCKED
  }

  public ScenarioEnd {
    never = List.copyOf(never);
    count = Collections.unmodifiableMap(new TreeMap<>(count));
  }
}
