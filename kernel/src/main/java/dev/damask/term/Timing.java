package dev.damask.term;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// When a schedule is due: at the times of a [Cron] expression, or after every interval.
public sealed interface Timing permits Cron, Timing.Every {
  /// The first due time after another time.
  ///
  /// @param anchor when the schedule was created; intervals count from there
  Instant next(Instant after, Instant anchor);

  /// Fixed intervals from the creation of the schedule.
  record Every(Duration interval) implements Timing {
    /// The shortest interval.
    public static final Duration MIN = Duration.ofSeconds(1);

    public Every {
      if (interval.compareTo(MIN) < 0) {
        throw new IllegalArgumentException(
            "every: an interval must be at least " + MIN + ", got " + interval);
      }
    }

    @Override
    public Instant next(Instant after, Instant anchor) {
      long millis = interval.toMillis();
      long passed = Math.max(0, Duration.between(anchor, after).toMillis());
      return anchor.plusMillis((passed / millis + 1) * millis);
    }

    @Override
    public String toString() {
      return "every " + interval;
    }
  }

  /// The last due time that is not after a time.
  ///
  /// @param first a due time that is not after it
  default Instant last(Instant first, Instant notAfter, Instant anchor) {
    Duration back = Duration.ofMinutes(1);
    Instant from = first;
    while (notAfter.minus(back).isAfter(first)) {
      Optional<Instant> found =
          Optional.of(next(notAfter.minus(back), anchor)).filter(at -> !at.isAfter(notAfter));
      if (found.isPresent()) {
        from = found.get();
        break;
      }
      back = back.multipliedBy(4);
    }
    for (Instant next = next(from, anchor); !next.isAfter(notAfter); next = next(from, anchor)) {
      from = next;
    }
    return from;
  }
}
