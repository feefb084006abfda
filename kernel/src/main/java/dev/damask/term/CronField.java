package dev.damask.term;

import java.util.List;
import java.util.Locale;

/// One field of a cron expression.
///
/// @param bits the numbers that fit
/// @param last the weekdays whose last day of the month fits; bit 0 for the last day itself
/// @param isAny whether the field is `*`
record CronField(long bits, int last, boolean isAny) {
  /// The fields in their order.
  @SuppressWarnings("ImmutableEnumChecker") // the lists are immutable
  enum Kind {
    MINUTE("minute", 0, 59, List.of()),
    HOUR("hour", 0, 23, List.of()),
    DAY("day of the month", 1, 31, List.of()),
    MONTH(
        "month",
        1,
        12,
        List.of(
            "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")),
    WEEKDAY("day of the week", 0, 7, List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"));

    private final String title;
    private final int min;
    private final int max;
    private final List<String> names;

    Kind(String title, int min, int max, List<String> names) {
      this.title = title;
      this.min = min;
      this.max = max;
      this.names = names;
    }
  }

  static CronField of(Kind kind, String text) {
    long bits = 0;
    int last = 0;
    for (String item : text.split(",", -1)) {
      String upper = item.toUpperCase(Locale.ROOT);
      if (kind == Kind.DAY && upper.equals("L")) {
        last |= 1;
      } else if (kind == Kind.WEEKDAY && upper.length() > 1 && upper.endsWith("L")) {
        last |= 1 << (number(kind, upper.substring(0, upper.length() - 1)) % 7);
      } else {
        bits |= item(kind, upper);
      }
    }
    if (kind == Kind.WEEKDAY && (bits & 1L << 7) != 0) {
      bits = (bits | 1) & ~(1L << 7); // Sunday
    }
    return new CronField(bits, last, text.equals("*"));
  }

  private static long item(Kind kind, String item) {
    String[] stepped = item.split("/", -1);
    if (stepped.length > 2) {
      throw wrong(kind, item, "a step is written once, such as */15");
    }
    String range = stepped[0];
    int from;
    int to;
    if (range.equals("*")) {
      from = kind.min;
      to = kind == Kind.WEEKDAY ? 6 : kind.max;
    } else {
      String[] ends = range.split("-", -1);
      if (ends.length > 2) {
        throw wrong(kind, item, "a range is written as a-b");
      }
      from = number(kind, ends[0]);
      to = ends.length == 2 ? number(kind, ends[1]) : stepped.length == 2 ? kind.max : from;
      if (to < from) {
        throw wrong(kind, item, "the range runs backwards; write two ranges with a comma");
      }
    }
    int step = stepped.length == 2 ? step(kind, item, stepped[1]) : 1;
    long bits = 0;
    for (int number = from; number <= to; number += step) {
      bits |= 1L << number;
    }
    return bits;
  }

  private static int step(Kind kind, String item, String text) {
    if (text.isEmpty() || text.length() > 3 || !text.chars().allMatch(Character::isDigit)) {
      throw wrong(kind, item, "a step is a number after '/', such as */15");
    }
    int step = Integer.parseInt(text);
    if (step == 0) {
      throw wrong(kind, item, "a step must be at least 1");
    }
    return step;
  }

  private static int number(Kind kind, String text) {
    int named = kind.names.indexOf(text);
    if (named >= 0) {
      return named + kind.min;
    }
    boolean isNumber =
        !text.isEmpty() && text.length() <= 3 && text.chars().allMatch(Character::isDigit);
    if (!isNumber) {
      String names = kind.names.isEmpty() ? "" : " or a name such as " + kind.names.get(1);
      throw new IllegalArgumentException(
          kind.title
              + ": expected *, a number, a range or a step"
              + names
              + ", found '"
              + text
              + "'");
    }
    int number = Integer.parseInt(text);
    if (number < kind.min || number > kind.max) {
      throw new IllegalArgumentException(
          kind.title + " must be between " + kind.min + " and " + kind.max + ", got " + text);
    }
    return number;
  }

  private static IllegalArgumentException wrong(Kind kind, String item, String why) {
    return new IllegalArgumentException(kind.title + " '" + item + "': " + why);
  }

  boolean has(int number) {
    return (bits & 1L << number) != 0;
  }

  boolean hasLast(int number) {
    return (last & 1 << number) != 0;
  }

  /// The first number from a given one on that fits; -1 if there is none.
  int next(int from) {
    long left = from > 63 ? 0 : bits >>> from << from;
    return left == 0 ? -1 : Long.numberOfTrailingZeros(left);
  }
}
