package dev.damask.cli;

import dev.damask.exec.EffectRequest;
import dev.damask.exec.Input;
import dev.damask.exec.TokenId;
import dev.damask.task.Context;
import dev.damask.task.EffectSpec;
import dev.damask.task.EffectTemplate;
import dev.damask.task.ExpressionFailure;
import dev.damask.task.Secrets;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The effects a case in memory performs by itself: `log` and `sleep`. Nothing runs beside the
/// case; a sleep is only a time at which its result comes in.
final class BuiltIns {
  static final Set<String> TYPES = Set.of("log", "sleep");

  private static final Duration SLEEP_MAX = Duration.ofDays(36_525);

  private final Progress progress;
  private final Map<TokenId, Long> sleeping = new HashMap<>();

  BuiltIns(Progress progress) {
    this.progress = progress;
  }

  /// Starts an effect; the input is there when it ended at once.
  Optional<Input> start(EffectRequest request, long nowMillis) {
    EffectTemplate template = request.task().template();
    if (template == null || !TYPES.contains(template.type())) {
      return Optional.empty();
    }
    try {
      EffectSpec spec = template.specFor(request.context());
      if (spec.type().equals("log")) {
        log(spec.with());
        return Optional.of(new Input.TaskDone(request.token(), Context.empty()));
      }
      sleeping.put(request.token(), nowMillis + duration(spec.with()).toMillis());
      return Optional.empty();
    } catch (ExpressionFailure e) {
      return Optional.of(failed(request, "expression", e));
    } catch (IllegalArgumentException e) {
      return Optional.of(failed(request, "effect", e));
    }
  }

  private static Input failed(EffectRequest request, String reason, RuntimeException why) {
    return new Input.TaskFailed(request.token(), reason, String.valueOf(why.getMessage()));
  }

  private void log(Context with) {
    Object message = shown(with.has("message") ? with.get("message") : "");
    Object level = with.has("level") ? with.get("level") : "info";
    String text = message instanceof String plain ? plain : Json.text(message);
    progress.message("info".equals(level) ? text : level + ": " + text);
  }

  /// A secret is never shown: its marker is.
  private static @Nullable Object shown(@Nullable Object value) {
    return Secrets.fill(value, Secrets::marker);
  }

  private static Duration duration(Context with) {
    Object value = with.has("for") ? with.get("for") : null;
    try {
      Duration duration =
          switch (value) {
            case String text -> Duration.parse(text);
            case Number number ->
                Duration.ofMillis(
                    new BigDecimal(number.toString()).movePointRight(3).longValueExact());
            case null, default -> Duration.ofMillis(-1);
          };
      if (!duration.isNegative() && duration.compareTo(SLEEP_MAX) <= 0) {
        return duration;
      }
    } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
      // Said below, in the same words for every wrong value.
    }
    throw new IllegalArgumentException(
        "sleep: 'for' is a duration such as PT10S or a number of seconds, found "
            + Json.text(value));
  }

  void withdraw(Collection<TokenId> tokens) {
    tokens.forEach(sleeping::remove);
  }

  void forget(TokenId token) {
    sleeping.remove(token);
  }

  /// The end of a sleep that is due.
  Optional<Input> due(long nowMillis) {
    return sleeping.entrySet().stream()
        .filter(entry -> entry.getValue() <= nowMillis)
        .min(
            Map.Entry.<TokenId, Long>comparingByValue()
                .thenComparingInt(entry -> entry.getKey().number()))
        .map(entry -> {
          sleeping.remove(entry.getKey());
          return new Input.TaskDone(entry.getKey(), Context.empty());
        });
  }

  OptionalLong nextDue() {
    return sleeping.values().stream().mapToLong(Long::longValue).min();
  }

  boolean isBusy() {
    return !sleeping.isEmpty();
  }
}
