package dev.damask.effect;

import dev.damask.task.Context;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A decision that somebody has to take, and what happens when nobody does.
///
/// @param approvers who may decide; anybody when it is empty
/// @param within how long there is time; empty when there is no limit
/// @param fallback what is taken as the decision when the time is up and the action says so
public record Approval(
    String question,
    List<String> approvers,
    Optional<Duration> within,
    OnTimeout onTimeout,
    Context fallback) {
  /// The effect type of tasks that are nothing but a decision.
  public static final String TYPE = "approval";

  /// What follows when nobody has decided in time.
  public enum OnTimeout {
    /// The task fails with `timeout`.
    CANCEL,
    /// The fallback is the decision.
    DEFAULT,
    /// It goes on waiting, and everybody can see that it is late.
    ESCALATE
  }

  public Approval {
    approvers = List.copyOf(approvers);
    if (within.isPresent() && !within.get().isPositive()) {
      throw new IllegalArgumentException("the time of an approval is positive, got " + within);
    }
  }

  /// A decision by anybody, without a limit of time.
  public static Approval of(String question) {
    return new Approval(question, List.of(), Optional.empty(), OnTimeout.CANCEL, Context.empty());
  }

  public Approval withApprovers(String... names) {
    return new Approval(question, List.of(names), within, onTimeout, fallback);
  }

  public Approval withWithin(Duration time, OnTimeout action) {
    return new Approval(question, approvers, Optional.of(time), action, fallback);
  }

  /// Taken as approved, or as rejected, when the time is up.
  public Approval withDefault(Duration time, boolean isApproved) {
    Context decision = decision(isApproved, "default");
    return new Approval(question, approvers, Optional.of(time), OnTimeout.DEFAULT, decision);
  }

  /// What a decision writes into the context of the task.
  public static Context decision(boolean isApproved, String by) {
    return Context.of("approved", isApproved, "by", by);
  }

  /// What a task of type [#TYPE] asks for. `IllegalArgumentException` when that makes no sense.
  public static Approval of(Context with) {
    OnTimeout action = action(with.get("onTimeout"));
    Optional<Duration> within = Optional.ofNullable(with.get("within")).map(Approval::duration);
    if (action != OnTimeout.CANCEL && within.isEmpty()) {
      throw new IllegalArgumentException("an approval with onTimeout needs 'within'");
    }
    List<String> approvers =
        with.get("approvers") instanceof List<?> list
            ? list.stream().map(String::valueOf).toList()
            : List.of();
    return new Approval(
        with.has("question") ? String.valueOf(with.get("question")) : "",
        approvers,
        within,
        action,
        fallback(with.get("default")));
  }

  private static OnTimeout action(@Nullable Object word) {
    if (word == null) {
      return OnTimeout.CANCEL;
    }
    for (OnTimeout each : OnTimeout.values()) {
      if (each.name().toLowerCase(Locale.ROOT).equals(word)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "onTimeout of an approval is cancel, default or escalate, got " + word);
  }

  private static Duration duration(Object value) {
    try {
      return switch (value) {
        case Number seconds -> Duration.ofMillis(Math.round(seconds.doubleValue() * 1_000));
        default -> Duration.parse(value.toString());
      };
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "within of an approval is a duration such as PT48H or a number of seconds, got " + value,
          e);
    }
  }

  private static Context fallback(@Nullable Object value) {
    return switch (value) {
      case null -> Context.empty();
      case Boolean isApproved -> decision(isApproved, "default");
      case Map<?, ?> map -> {
        Context context = Context.empty();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          context = context.with(String.valueOf(entry.getKey()), entry.getValue());
        }
        yield context;
      }
      default -> Context.of("decision", value, "by", "default");
    };
  }
}
