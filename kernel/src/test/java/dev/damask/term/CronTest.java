package dev.damask.term;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Cron expressions: what they accept, when they are due, and clock changes.
final class CronTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final ZoneId SANTIAGO = ZoneId.of("America/Santiago");

  /// The due times after a time, as local times with their offsets.
  private static List<String> times(String expression, ZoneId zone, String after, int count) {
    Cron cron = Cron.of(expression, zone);
    List<String> times = new ArrayList<>();
    Instant at = OffsetDateTime.parse(after).toInstant();
    for (int i = 0; i < count; i++) {
      at = cron.next(at);
      times.add(at.atZone(zone).toOffsetDateTime().toString());
    }
    return times;
  }

  @Test
  void a_time_that_the_clock_skips_is_due_at_the_change_once() {
    assertThat(times("30 2 * * *", BERLIN, "2026-03-28T00:00+01:00", 3))
        .containsExactly(
            "2026-03-28T02:30+01:00", "2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00");
    assertThat(times("0,30 2,3 29 3 *", BERLIN, "2026-03-28T00:00+01:00", 2))
        .containsExactly("2026-03-29T03:00+02:00", "2026-03-29T03:30+02:00");
    assertThat(times("0 0 * * *", SANTIAGO, "2026-09-05T12:00-04:00", 2))
        .containsExactly("2026-09-06T01:00-03:00", "2026-09-07T00:00-03:00");
  }

  @Test
  void a_time_that_comes_twice_is_due_the_first_time() {
    assertThat(times("30 2 * * *", BERLIN, "2026-10-24T12:00+02:00", 2))
        .containsExactly("2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00");
    assertThat(times("30 23 * * *", SANTIAGO, "2026-04-04T12:00-03:00", 2))
        .containsExactly("2026-04-04T23:30-03:00", "2026-04-05T23:30-04:00");
  }

  @Test
  void with_any_hour_it_follows_the_time_that_passes() {
    assertThat(times("30 * * * *", BERLIN, "2026-10-25T01:00+02:00", 4))
        .containsExactly(
            "2026-10-25T01:30+02:00",
            "2026-10-25T02:30+02:00",
            "2026-10-25T02:30+01:00",
            "2026-10-25T03:30+01:00");
    assertThat(times("30 * * * *", BERLIN, "2026-03-29T01:00+01:00", 2))
        .containsExactly("2026-03-29T01:30+01:00", "2026-03-29T03:30+02:00");
    assertThat(times("0 * * * *", SANTIAGO, "2026-09-05T22:30-04:00", 2))
        .containsExactly("2026-09-05T23:00-04:00", "2026-09-06T01:00-03:00");
  }

  @Test
  void days_names_lists_steps_and_last_days() {
    assertThat(times("0 12 L * *", BERLIN, "2026-01-31T13:00+01:00", 2))
        .containsExactly("2026-02-28T12:00+01:00", "2026-03-31T12:00+02:00");
    assertThat(times("0 12 * * FRIL", BERLIN, "2026-01-01T00:00+01:00", 2))
        .containsExactly("2026-01-30T12:00+01:00", "2026-02-27T12:00+01:00");
    assertThat(times("0 9 1 * mon", BERLIN, "2026-05-30T00:00+02:00", 3))
        .containsExactly(
            "2026-06-01T09:00+02:00", "2026-06-08T09:00+02:00", "2026-06-15T09:00+02:00");
    assertThat(times("5/20 8-9 * jan,MAR *", BERLIN, "2026-01-31T09:40+01:00", 2))
        .containsExactly("2026-01-31T09:45+01:00", "2026-03-01T08:05+01:00");
    assertThat(times("0 0 29 2 *", BERLIN, "2026-01-01T00:00+01:00", 1))
        .containsExactly("2028-02-29T00:00+01:00");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 2 * * | expected five fields (minute hour day month weekday), found 4",
        "0 25 * * * | hour must be between 0 and 23, got 25",
        "61 2 * * * | minute must be between 0 and 59, got 61",
        "0 2 0 * * | day of the month must be between 1 and 31, got 0",
        "0 2 * FOO * | month: expected *, a number, a range or a step or a name such as FEB",
        "0 2 * * FRI-MON | the range runs backwards",
        "*/0 2 * * * | a step must be at least 1",
        "*/x 2 * * * | a step is a number after '/'",
        "1-2-3 2 * * * | a range is written as a-b",
        "1/2/3 2 * * * | a step is written once",
        "0 2 30 2 * | it never fires",
        "0 2 31 APR,JUN,SEP,NOV * | it never fires",
        "'' | found 0",
      })
  void a_wrong_expression_is_refused_with_the_field(String expression, String sentence) {
    assertThatThrownBy(() -> Cron.of(expression, BERLIN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(sentence);
  }

  @Test
  void a_zone_that_does_not_exist_is_refused_with_a_hint() {
    assertThatThrownBy(() -> Schedule.cron("0 2 * * *", "Berlin"))
        .hasMessage("zone 'Berlin' does not exist; did you mean 'Europe/Berlin'?");
    assertThatThrownBy(() -> Schedule.cron("0 2 * * *", "Mars/Base"))
        .hasMessageContaining("zone 'Mars/Base' does not exist; use a name such as");
  }

  @Test
  void the_next_time_is_the_one_that_a_walk_over_all_minutes_finds() {
    long seed = Long.getLong("damask.seed", 20_261_118L);
    Random random = new Random(seed);
    List<ZoneId> zones =
        List.of(
            BERLIN,
            SANTIAGO,
            ZoneId.of("UTC"),
            ZoneId.of("Asia/Kathmandu"),
            ZoneId.of("Australia/Lord_Howe"),
            ZoneId.of("America/New_York"));
    for (int run = 0; run < 400; run++) {
      ZoneId zone = zones.get(random.nextInt(zones.size()));
      String expression = expression(random);
      Instant after = near(zone, random);
      Cron cron;
      try {
        cron = Cron.of(expression, zone);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageContaining("never fires");
        continue;
      }
      Instant expected = walk(expression, zone, after);
      Instant found = cron.next(after);
      if (expected == null) {
        assertThat(found).isAfter(after.plus(WALK_DAYS, ChronoUnit.DAYS).minusSeconds(60));
      } else {
        assertThat(found)
            .as("seed %d: '%s' in %s after %s", seed, expression, zone, after)
            .isEqualTo(expected);
      }
    }
  }

  private static final int WALK_DAYS = 45;

  /// A time within two days of a clock change, or anywhere.
  private static Instant near(ZoneId zone, Random random) {
    Instant any =
        LocalDate.of(2026, 1, 1)
            .plusDays(random.nextInt(700))
            .atStartOfDay(zone)
            .toInstant()
            .plusSeconds(random.nextInt(86_400));
    ZoneOffsetTransition change = zone.getRules().nextTransition(any);
    return change == null || random.nextInt(4) == 0
        ? any
        : change.getInstant().plusSeconds(random.nextInt(4 * 86_400) - 2 * 86_400);
  }

  private static String expression(Random random) {
    return "%s %s %s %s %s"
        .formatted(
            field(random, 0, 59, 2),
            field(random, 0, 23, 2),
            random.nextInt(3) > 0 ? "*" : field(random, 1, 31, 3),
            random.nextInt(4) > 0 ? "*" : field(random, 1, 12, 3),
            random.nextInt(3) > 0 ? "*" : field(random, 0, 7, 3));
  }

  private static String field(Random random, int min, int max, int kinds) {
    int one = min + random.nextInt(max - min + 1);
    int two = one + random.nextInt(max - one + 1);
    return switch (random.nextInt(kinds + 3)) {
      case 0 -> "*";
      case 1 -> "*/" + (1 + random.nextInt(max));
      case 2 -> one + "-" + two;
      case 3 -> one + "-" + two + "/" + (1 + random.nextInt(5));
      default -> one == two ? "" + one : one + "," + two;
    };
  }

  /// Looks at every minute; null when none of the next days is due.
  private static @Nullable Instant walk(String expression, ZoneId zone, Instant after) {
    String[] fields = expression.split(" ", -1);
    boolean isCalendar = !fields[1].equals("*");
    Instant at = after.truncatedTo(ChronoUnit.MINUTES).plusSeconds(60);
    Instant end = after.plus(WALK_DAYS, ChronoUnit.DAYS);
    for (; at.isBefore(end); at = at.plusSeconds(60)) {
      LocalDateTime local = LocalDateTime.ofInstant(at, zone);
      boolean isSecond =
          zone.getRules().getValidOffsets(local).size() == 2
              && !zone.getRules()
                  .getOffset(at)
                  .equals(zone.getRules().getValidOffsets(local).getFirst());
      if (fits(fields, local) && !(isCalendar && isSecond)) {
        return at;
      }
      ZoneOffsetTransition change = zone.getRules().previousTransition(at.plusNanos(1));
      if (isCalendar && change != null && change.isGap() && change.getInstant().equals(at)) {
        for (LocalDateTime skipped = change.getDateTimeBefore();
            skipped.isBefore(change.getDateTimeAfter());
            skipped = skipped.plusMinutes(1)) {
          if (fits(fields, skipped)) {
            return at;
          }
        }
      }
    }
    return null;
  }

  private static boolean fits(String[] fields, LocalDateTime local) {
    boolean byDay = matches(fields[2], 1, 31).test(local.getDayOfMonth());
    int weekday = local.getDayOfWeek().getValue();
    IntPredicate week = matches(fields[4], 0, 7);
    boolean byWeekday = week.test(weekday) || (weekday == 7 && week.test(0));
    boolean isEither = !fields[2].equals("*") && !fields[4].equals("*");
    boolean isDay = isEither ? byDay || byWeekday : byDay && byWeekday;
    return matches(fields[0], 0, 59).test(local.getMinute())
        && matches(fields[1], 0, 23).test(local.getHour())
        && matches(fields[3], 1, 12).test(local.getMonthValue())
        && isDay;
  }

  /// A second reader of fields, as simple as can be.
  private static IntPredicate matches(String field, int min, int max) {
    return number -> {
      for (String item : field.split(",", -1)) {
        String[] parts = item.split("/", -1);
        int step = parts.length == 2 ? Integer.parseInt(parts[1]) : 1;
        String[] range = parts[0].split("-", -1);
        int from = parts[0].equals("*") ? min : Integer.parseInt(range[0]);
        int to =
            parts[0].equals("*") ? max == 7 ? 6 : max : Integer.parseInt(range[range.length - 1]);
        if (number >= from && number <= to && (number - from) % step == 0) {
          return true;
        }
      }
      return false;
    };
  }
}
