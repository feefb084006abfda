package dev.damask.ops;

import dev.damask.term.Schedule;
import dev.damask.value.Context;
import java.time.Instant;
import java.util.Optional;

/// A schedule as it is stored.
///
/// @param input the context that its cases start with
/// @param due the next time; empty while it is paused
/// @param lastTime the time of the last case that was started; empty if there was none
/// @param lastCase the id of the last case that was started; empty if there was none
/// @param queued the time of the start that waits until the last case has ended
/// @param skipped how many times were skipped because a case was running
public record ScheduleView(
    String name,
    String workflow,
    Schedule schedule,
    Context input,
    boolean isPaused,
    Optional<Instant> due,
    Optional<Instant> lastTime,
    String lastCase,
    Optional<Instant> queued,
    long skipped) {
  static Optional<Instant> time(long millis) {
    return millis == ScheduleRow.NEVER
        ? Optional.empty()
        : Optional.of(Instant.ofEpochMilli(millis));
  }
}
