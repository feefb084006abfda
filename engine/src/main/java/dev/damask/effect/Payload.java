package dev.damask.effect;

import dev.damask.value.Context;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The payload of a built-in effect, read field by field. A problem fails the task with the reason
/// `effect`. Values of `http` may hold secrets and are never repeated.
public record Payload(String type, Context with) {
  /// The reason that a wrong payload fails its task with.
  public static final String REASON = "effect";

  /// Durations beyond this are a mistake: a hundred years.
  private static final Duration LONGEST = Duration.ofDays(36_525);

  /// Returns the exception for a wrong payload.
  public EffectException problem(String sentence) {
    return new EffectException(REASON, type + ": " + sentence);
  }

  /// Throws `EffectException` if there is a field that is not known.
  public void requireOnly(String... known) throws EffectException {
    List<String> unknown = new ArrayList<>();
    with.forEach((key, _) -> {
      if (!List.of(known).contains(key)) {
        unknown.add(key);
      }
    });
    if (!unknown.isEmpty()) {
      throw problem(
          "'%s' is not one of %s"
              .formatted(LogEffect.oneLine(unknown.getFirst()), String.join(", ", known)));
    }
  }

  /// Returns the string in a field, or a default if the field is missing. Throws `EffectException`
  /// if it is not a string.
  public String text(String field, String missing) throws EffectException {
    if (!with.has(field)) {
      return missing;
    }
    if (with.get(field) instanceof String text) {
      return text;
    }
    throw problem("'" + field + "' must be a string");
  }

  /// Returns an ISO-8601 duration or a number of seconds; empty when the field is missing.
  public Optional<Duration> duration(String field) throws EffectException {
    if (!with.has(field)) {
      return Optional.empty();
    }
    try {
      Duration duration =
          switch (with.get(field)) {
            case String text -> Duration.parse(text);
            case Number number ->
                Duration.ofMillis(
                    new BigDecimal(number.toString()).movePointRight(3).longValueExact());
            case null, default -> Duration.ofMillis(-1);
          };
      if (!duration.isNegative() && duration.compareTo(LONGEST) <= 0) {
        return Optional.of(duration);
      }
    } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
      // Said below, in the same words for every wrong value.
    }
    Object found = with.get(field);
    throw problem(
        "'%s' is a duration such as PT10S or a number of seconds, found %s"
            .formatted(
                field,
                found instanceof String text
                    ? '"' + LogEffect.oneLine(text) + '"'
                    : LogEffect.oneLine(String.valueOf(found))));
  }
}
