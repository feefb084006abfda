package dev.damask.document;

import dev.damask.task.Context;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Something that happens to a case from outside.
public sealed interface ScenarioEvent {
  record Start() implements ScenarioEvent {}

  /// A task is done and has written these keys.
  record Done(TaskAddress task, Context data) implements ScenarioEvent {}

  record Fail(TaskAddress task, String reason) implements ScenarioEvent {}

  record Signal(String place, Context data) implements ScenarioEvent {}

  /// Withdraws a region; `case` is the whole.
  record Cancel(String region) implements ScenarioEvent {}

  /// Ends a region as if it had completed.
  record Complete(String region) implements ScenarioEvent {}

  record CancelTask(TaskAddress task) implements ScenarioEvent {}

  /// Adds an instance.
  ///
  /// @param hasItem whether the event brings an item, which may be null
  record Add(String instances, boolean hasItem, @Nullable Object item) implements ScenarioEvent {}

  /// Allows no further instances.
  record Close(String instances) implements ScenarioEvent {}

  record Advance(Duration time) implements ScenarioEvent {}
}
