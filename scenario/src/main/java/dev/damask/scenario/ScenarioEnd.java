package dev.damask.scenario;

import dev.damask.value.Context;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The expected state at the end of a scenario.
///
/// @param status null if the scenario does not specify it
/// @param reason null if the scenario does not specify it
/// @param never tasks that never ran
/// @param count the number of runs of tasks, over all instances
/// @param context keys that must have these values; other keys are not compared
/// @param attributes attributes that must have these values, null for none; others are not compared
public record ScenarioEnd(
    @Nullable Status status,
    @Nullable String reason,
    List<String> never,
    Map<String, Integer> count,
    Context context,
    Context attributes) {
  /// The status of a case.
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
