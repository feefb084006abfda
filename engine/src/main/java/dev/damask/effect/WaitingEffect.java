package dev.damask.effect;

import dev.damask.value.Context;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// An effect that only waits: for a time to pass, or for a caller to complete the task.
///
/// No handler is called and no thread waits. The engine keeps the time with the case, so it
/// survives restarts, and a million such tasks cost what a million timers cost. Meanwhile the task
/// can be completed, failed and cancelled by a caller like any other.
public interface WaitingEffect extends EffectHandler {
  /// What to wait for, from the payload of the task. `EffectException` when the payload makes no
  /// sense; the task then fails before it waits.
  Plan plan(Context with) throws EffectException;

  /// What to wait for.
  ///
  /// @param within how long at most; empty when there is no end to it
  /// @param then what becomes of the task when the time is up
  record Plan(Optional<Duration> within, TimeUp then) {}

  /// What happens to a task whose time is up.
  sealed interface TimeUp {
    /// It has this result.
    record Done(Context result) implements TimeUp {}

    /// The attempt failed.
    record Failed(String reason, String detail) implements TimeUp {}

    /// The task is cancelled.
    record Withdrawn() implements TimeUp {}
  }

  /// Never called by the engine.
  @Override
  default @Nullable Object call(EffectCall call) {
    throw new IllegalStateException(call + " only waits; it is never called");
  }
}
