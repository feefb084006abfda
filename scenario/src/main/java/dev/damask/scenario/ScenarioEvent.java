package dev.damask.scenario;

import dev.damask.task.TaskAddress;
import dev.damask.value.Context;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// An external event of a case.
public sealed interface ScenarioEvent {
  /// Starts the case.
  record Start() implements ScenarioEvent {}

  /// A task completes and writes these keys.
  record Done(TaskAddress task, Context data) implements ScenarioEvent {}

  /// A task fails with this reason.
  record Fail(TaskAddress task, String reason) implements ScenarioEvent {}

  /// Retries a task that is an incident.
  record Retry(TaskAddress task) implements ScenarioEvent {}

  /// Sends a signal to an external place.
  record Signal(String place, Context data) implements ScenarioEvent {}

  /// Cancels a region; `case` is the whole case.
  record Cancel(String region) implements ScenarioEvent {}

  /// Completes a region early.
  record Complete(String region) implements ScenarioEvent {}

  /// Cancels a task.
  record CancelTask(TaskAddress task) implements ScenarioEvent {}

  /// Adds an instance.
  ///
  /// @param hasItem whether the event has an item, which may be null
  record Add(String instances, boolean hasItem, @Nullable Object item) implements ScenarioEvent {}

  /// Closes a set of instances.
  record Close(String instances) implements ScenarioEvent {}

  /// Advances the virtual time.
  record Advance(Duration time) implements ScenarioEvent {}
}
