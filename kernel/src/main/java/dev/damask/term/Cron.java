package dev.damask.term;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/// A cron expression of five fields in a time zone: minute, hour, day of the month, month, day of
/// the week.
///
/// A field is `*`, a number, a name (`JAN`, `MON`), a range `a-b`, a step `*/n`, `a-b/n` or `a/n`,
/// or a list of these. Sunday is 0 or 7. `L` is the last day of the month; `5L` is the last Friday
/// of the month. If both days are restricted, either of them suffices.
///
/// ## Clock changes
///
/// If the hour is `*`, the expression follows the time that passes: it is due whenever the local
/// time fits, also in the hour that a clock change repeats. Otherwise it follows the calendar: a
/// local time that a clock change skips is due at the moment of the change, once; a local time that
/// occurs twice is due the first time only.
public final class Cron implements Timing {
  /// February 29 occurs at least once in so many years.
  private static final int YEARS_MAX = 9;

  private final String expression;
  private final ZoneId zone;
  private final CronField minutes;
  private final CronField hours;
  private final CronField days;
  private final CronField months;
  private final CronField weekdays;

  private Cron(String expression, ZoneId zone) {
    this.expression = expression.strip().replaceAll("\\s+", " ");
    this.zone = zone;
    String[] fields = this.expression.split(" ", -1);
    if (fields.length != 5) {
      throw new IllegalArgumentException(
          "cron '"
              + this.expression
              + "': expected five fields (minute hour day month weekday), found "
              + (this.expression.isEmpty() ? 0 : fields.length));
    }
    this.minutes = field(CronField.Kind.MINUTE, fields[0]);
    this.hours = field(CronField.Kind.HOUR, fields[1]);
    this.days = field(CronField.Kind.DAY, fields[2]);
    this.months = field(CronField.Kind.MONTH, fields[3]);
    this.weekdays = field(CronField.Kind.WEEKDAY, fields[4]);
    LocalDateTime begin = LocalDate.of(2000, 1, 1).atStartOfDay();
    if (localNext(begin).isEmpty()) {
      throw new IllegalArgumentException(
          "cron '" + this.expression + "': it never fires, because no such month has that day");
    }
  }

  /// Reads an expression. Throws `IllegalArgumentException` with the field that is wrong, or if the
  /// expression never fires.
  public static Cron of(String expression, ZoneId zone) {
    return new Cron(expression, zone);
  }

  /// The zone of a name such as `Europe/Berlin`. Throws `IllegalArgumentException` if there is
  /// none.
  public static ZoneId zone(String name) {
    try {
      return ZoneId.of(name);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("zone '" + name + "' does not exist" + hint(name), e);
    }
  }

  private static String hint(String name) {
    String wanted = name.toLowerCase(Locale.ROOT);
    return ZoneId.getAvailableZoneIds().stream()
        .filter(each -> each.toLowerCase(Locale.ROOT).endsWith(wanted))
        .sorted()
        .findFirst()
        .map(each -> "; did you mean '" + each + "'?")
        .orElse("; use a name such as 'Europe/Berlin' or 'UTC'");
  }

  private CronField field(CronField.Kind kind, String text) {
    try {
      return CronField.of(kind, text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("cron '" + expression + "': " + e.getMessage(), e);
    }
  }

  @Override
  public Instant next(Instant after, Instant anchor) {
    return next(after);
  }

  /// The first due time after another time.
  public Instant next(Instant after) {
    ZoneRules rules = zone.getRules();
    boolean isCalendar = !hours.isAny();
    Instant at = after.truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
    while (true) {
      ZoneOffsetTransition begun = rules.previousTransition(at.plusNanos(1));
      if (isCalendar && begun != null && begun.getInstant().equals(at) && isDueIn(begun)) {
        return at;
      }
      ZoneOffset offset = rules.getOffset(at);
      LocalDateTime local = LocalDateTime.ofEpochSecond(at.getEpochSecond(), 0, offset);
      if (isCalendar && begun != null && begun.isOverlap()) {
        // The repeated hour was due when it came first.
        local = local.isBefore(begun.getDateTimeBefore()) ? begun.getDateTimeBefore() : local;
      }
      ZoneOffsetTransition end = rules.nextTransition(at);
      Instant found =
          localNext(local)
              .orElseThrow(() -> new IllegalStateException(expression + " does not fire any more"))
              .toInstant(offset);
      if (end == null || found.isBefore(end.getInstant())) {
        return found;
      }
      at = end.getInstant();
    }
  }

  /// Whether a local time that a clock change skips fits.
  private boolean isDueIn(ZoneOffsetTransition change) {
    return change.isGap()
        && localNext(change.getDateTimeBefore())
            .filter(found -> found.isBefore(change.getDateTimeAfter()))
            .isPresent();
  }

  /// The first local time from a given one on that fits; empty if there is none for years.
  private Optional<LocalDateTime> localNext(LocalDateTime from) {
    LocalDateTime start =
        from.truncatedTo(ChronoUnit.MINUTES).equals(from)
            ? from
            : from.truncatedTo(ChronoUnit.MINUTES).plusMinutes(1);
    LocalDate day = start.toLocalDate();
    LocalDate end = day.plusYears(YEARS_MAX);
    while (day.isBefore(end)) {
      if (!months.has(day.getMonthValue())) {
        day = day.plusMonths(1).withDayOfMonth(1);
        continue;
      }
      if (isDay(day)) {
        boolean isFirst = day.equals(start.toLocalDate());
        Optional<LocalDateTime> found =
            time(day, isFirst ? start.getHour() : 0, isFirst ? start.getMinute() : 0);
        if (found.isPresent()) {
          return found;
        }
      }
      day = day.plusDays(1);
    }
    return Optional.empty();
  }

  private Optional<LocalDateTime> time(LocalDate day, int fromHour, int fromMinute) {
    for (int hour = hours.next(fromHour); hour >= 0; hour = hours.next(hour + 1)) {
      int minute = minutes.next(hour == fromHour ? fromMinute : 0);
      if (minute >= 0) {
        return Optional.of(day.atTime(hour, minute));
      }
    }
    return Optional.empty();
  }

  private boolean isDay(LocalDate day) {
    boolean isLastWeek = day.getDayOfMonth() + 7 > day.lengthOfMonth();
    boolean isLastDay = day.getDayOfMonth() == day.lengthOfMonth();
    int weekday = day.getDayOfWeek().getValue() % 7;
    boolean byDay = days.has(day.getDayOfMonth()) || (isLastDay && days.hasLast(0));
    boolean byWeekday = weekdays.has(weekday) || (isLastWeek && weekdays.hasLast(weekday));
    if (days.isAny() || weekdays.isAny()) {
      return byDay && byWeekday;
    }
    return byDay || byWeekday;
  }

  /// The expression, with single spaces.
  public String expression() {
    return expression;
  }

  /// The time zone.
  public ZoneId zone() {
    return zone;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Cron cron
        && cron.expression.equals(expression)
        && cron.zone.equals(zone);
  }

  @Override
  public int hashCode() {
    return Objects.hash(expression, zone);
  }

  @Override
  public String toString() {
    return "cron '" + expression + "' in " + zone;
  }
}
