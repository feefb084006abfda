package dev.damask.task;

import java.time.Duration;

/// Durations as the machine counts them. One too long for its clock never passes.
public final class Millis {
  private static final long SECONDS_MAX = Long.MAX_VALUE / 1_000 - 1;

  private Millis() {}

  /// Returns a duration in milliseconds; `Long.MAX_VALUE` if it is too long.
  public static long of(Duration duration) {
    return duration.toSeconds() > SECONDS_MAX ? Long.MAX_VALUE : duration.toMillis();
  }
}
