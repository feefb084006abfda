package dev.damask.term;

import dev.damask.value.Numbered;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;

/// When cases of a workflow are started by themselves, and what happens if one still runs or if a
/// time was missed.
///
/// @param overlap what happens if the case of an earlier time has not ended
/// @param catchUp what happens with times that passed while no engine ran
public record Schedule(Timing timing, Overlap overlap, CatchUp catchUp) {
  /// What happens if the case of an earlier time has not ended.
  public enum Overlap implements Numbered {
    /// Nothing is started.
    SKIP(0),
    /// One start waits until the case has ended; further ones are skipped.
    QUEUE(1),
    /// Another case is started.
    ALLOW(2),
    /// The case is cancelled, and another one is started.
    REPLACE(3);

    private static final List<Overlap> BY_NUMBER = Numbered.ordered(values());

    private final int number;

    Overlap(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }

    /// Returns the constants in the order of their numbers.
    public static List<Overlap> byNumber() {
      return BY_NUMBER;
    }

    /// The word for documents and people.
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// What happens with times that were missed. A time is missed if it is more than a minute ago, or
  /// if the next one has come as well.
  public sealed interface CatchUp {
    /// They are dropped.
    record None() implements CatchUp {
      @Override
      public String toString() {
        return "none";
      }
    }

    /// The last one is started.
    record Last() implements CatchUp {
      @Override
      public String toString() {
        return "last";
      }
    }

    /// All that are not older than a duration are started, in order.
    record Within(Duration duration) implements CatchUp {
      public Within {
        if (!duration.isPositive()) {
          throw new IllegalArgumentException(
              "catchUp: the duration must be positive, got " + duration);
        }
      }

      @Override
      public String toString() {
        return "within " + duration;
      }
    }

    /// Drops what was missed.
    static CatchUp none() {
      return new None();
    }

    /// Starts the last one that was missed.
    static CatchUp last() {
      return new Last();
    }

    /// Starts all that are not older than a duration.
    static CatchUp within(Duration duration) {
      return new Within(duration);
    }
  }

  /// Due at the times of a cron expression in a zone; see [Cron]. A start is skipped while a case
  /// runs, and the last missed time is started. Throws `IllegalArgumentException` if the expression
  /// is wrong or never fires.
  public static Schedule cron(String expression, ZoneId zone) {
    return of(Cron.of(expression, zone));
  }

  /// Due at the times of a cron expression in a zone; see [#cron(String, ZoneId)]. Throws
  /// `IllegalArgumentException` if the zone does not exist.
  public static Schedule cron(String expression, String zone) {
    return cron(expression, Cron.zone(zone));
  }

  /// Due after every interval from the creation of the schedule.
  public static Schedule every(Duration interval) {
    return of(new Timing.Every(interval));
  }

  private static Schedule of(Timing timing) {
    return new Schedule(timing, Overlap.SKIP, CatchUp.last());
  }

  /// Returns this schedule with another rule for cases that still run.
  public Schedule overlap(Overlap value) {
    return new Schedule(timing, value, catchUp);
  }

  /// Returns this schedule with another rule for missed times.
  public Schedule catchUp(CatchUp value) {
    return new Schedule(timing, overlap, value);
  }
}
