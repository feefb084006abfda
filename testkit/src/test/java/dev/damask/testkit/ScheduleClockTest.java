package dev.damask.testkit;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.effect.EffectCall;
import dev.damask.term.Schedule;
import dev.damask.term.Schedule.CatchUp;
import dev.damask.term.Schedule.Overlap;
import dev.damask.value.Context;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Each time of a cron schedule starts one case, while clocks change: the zone begins or ends its
/// daylight saving time, the machine's clock is set back, processes die, and retention removes the
/// cases that have ended. The times are compared with a walk over all minutes.
final class ScheduleClockTest {
  private static final Instant BEGIN = Instant.ofEpochMilli(1_700_000_000_000L);
  private static final List<String> ZONES =
      List.of("Europe/Berlin", "America/Santiago", "America/New_York", "Australia/Lord_Howe");
  private static final int RUNS = 60;
  private static final int ACTIONS = 25;

  /// A schedule of some minutes of some hours.
  ///
  /// @param hours null for every hour
  private record Times(ZoneId zone, String minutes, String hours) {
    String cron() {
      return minutes + " " + hours + " * * *";
    }

    private boolean isDue(LocalDateTime local) {
      return has(minutes, local.getMinute()) && has(hours, local.getHour());
    }

    private static boolean has(String field, int number) {
      return field.equals("*") || List.of(field.split(",", -1)).contains(String.valueOf(number));
    }

    /// The times after one and up to another, by a walk over all minutes.
    List<Instant> between(Instant after, Instant until) {
      TreeSet<Instant> found = new TreeSet<>();
      if (hours.equals("*")) {
        Instant minute = after.truncatedTo(ChronoUnit.MINUTES);
        for (; !minute.isAfter(until); minute = minute.plus(1, ChronoUnit.MINUTES)) {
          if (isDue(LocalDateTime.ofInstant(minute, zone))) {
            found.add(minute);
          }
        }
      } else {
        LocalDateTime end = LocalDateTime.ofInstant(until, ZoneOffset.UTC).plusDays(1);
        LocalDateTime local = LocalDateTime.ofInstant(after, ZoneOffset.UTC).minusDays(1);
        local = local.truncatedTo(ChronoUnit.MINUTES);
        for (; local.isBefore(end); local = local.plusMinutes(1)) {
          if (isDue(local)) {
            found.add(only(local));
          }
        }
      }
      found.removeIf(time -> !time.isAfter(after) || time.isAfter(until));
      return List.copyOf(found);
    }

    /// The first time that a clock shows a local time; the moment of the change if it skips it.
    private Instant only(LocalDateTime local) {
      List<ZoneOffset> offsets = zone.getRules().getValidOffsets(local);
      return offsets.isEmpty()
          ? zone.getRules().getTransition(local).getInstant()
          : local.toInstant(offsets.getFirst());
    }
  }

  private static Times times(Random random) {
    ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
    String minutes = random.nextBoolean() ? "0,30" : String.valueOf(random.nextInt(60));
    String hours =
        switch (random.nextInt(4)) {
          case 0 -> "*";
          case 1 -> "1,2,3";
          case 2 -> "0,23";
          default -> String.valueOf(random.nextInt(4));
        };
    return new Times(zone, minutes, hours);
  }

  @Test
  void each_time_starts_one_case_whatever_the_clocks_do() {
    long seed = Long.getLong("damask.seed", 20_261_119L);
    int fired = 0;
    for (int run = 0; run < RUNS; run++) {
      fired += play(seed + run);
    }
    assertThat(fired).isGreaterThan(10 * RUNS);
  }

  private static int play(long seed) {
    Random random = new Random(seed);
    Times times = times(random);
    Instant change =
        times
            .zone
            .getRules()
            .nextTransition(BEGIN.plus(Duration.ofDays(random.nextInt(900))))
            .getInstant();
    TestEngine test = TestEngine.open().when("work", Answer.of("done", true));
    Instant now = change.minus(Duration.ofMinutes(10 + random.nextInt(2_000)));
    test.advance(Duration.between(BEGIN, now));
    Schedule schedule =
        Schedule.cron(times.cron(), times.zone.getId())
            .overlap(Overlap.ALLOW)
            .catchUp(CatchUp.within(Duration.ofDays(30)));
    test.schedule("s", schedule, workflow("quick", effect("work")), Context.empty());
    Instant put = now;
    Instant latest = now;
    List<String> done = new ArrayList<>();
    for (int i = 0; i < ACTIONS; i++) {
      Duration time = Duration.ofSeconds(1 + random.nextInt(4 * 3_600));
      switch (random.nextInt(6)) {
        case 0 -> {
          test.setBack(time);
          now = now.minus(time);
          done.add("set back by " + time);
        }
        case 1 -> {
          test.outage(time);
          now = now.plus(time);
          done.add("outage of " + time);
        }
        case 2 -> {
          test.sweep();
          done.add("removed what has ended");
        }
        default -> {
          test.advance(time);
          now = now.plus(time);
          done.add("advanced by " + time);
        }
      }
      latest = latest.isAfter(now) ? latest : now;
    }

    List<String> ids = test.calls().stream().map(EffectCall::caseId).toList();

    assertThat(ids)
        .as("seed %d: %s in %s from %s: %s", seed, times.cron(), times.zone, put, done)
        .isEqualTo(times.between(put, latest).stream().map(ScheduleClockTest::id).toList());
    return ids.size();
  }

  private static String id(Instant time) {
    return "s:" + time.toString().replace(":", "");
  }
}
