package dev.damask.http;

import dev.damask.task.Retry;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The header `Retry-After`: a number of seconds, or a date.
final class RetryAfter {
  private RetryAfter() {}

  /// Returns how long to wait, at most [Retry#DELAY_MAX]; empty without a valid header.
  ///
  /// @param value the header; null if the response has none
  static Optional<Duration> of(@Nullable String value, Instant now) {
    String text = value == null ? "" : value.strip();
    if (text.matches("[0-9]{1,18}")) {
      return Optional.of(atMost(Duration.ofSeconds(Long.parseLong(text))));
    }
    try {
      Instant then = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      Duration delay = Duration.between(now, then);
      return Optional.of(delay.isNegative() ? Duration.ZERO : atMost(delay));
    } catch (DateTimeException e) {
      return Optional.empty(); // absent or malformed: the retry policy decides alone
    }
  }

  private static Duration atMost(Duration delay) {
    return delay.compareTo(Retry.DELAY_MAX) > 0 ? Retry.DELAY_MAX : delay;
  }
}
