package dev.damask.effect;

import dev.damask.value.Context;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/// How many calls of one effect type an engine makes. A call that the limit does not allow waits
/// for a permit: durably, without a thread, and without its timeout running.
///
/// Permits go to the highest priority first, and to the longest wait among equals. One level of
/// priority is worth [#PRIORITY_STEP] of waiting, so no call waits forever.
///
/// @param atOnce how many calls may be in progress
/// @param rate how many calls may begin within a time
/// @param perKey how many calls with the same key may be in progress
/// @param key the key of a call, from the context of its task with the payload merged into it
/// @param priority the priority of a call, from the same; between [#PRIORITY_MIN] and
///   [#PRIORITY_MAX]
public record EffectLimit(
    OptionalInt atOnce,
    Optional<Rate> rate,
    OptionalInt perKey,
    Function<Context, String> key,
    ToIntFunction<Context> priority) {
  /// How much waiting one level of priority is worth.
  public static final Duration PRIORITY_STEP = Duration.ofHours(1);

  /// The lowest priority.
  public static final int PRIORITY_MIN = -1_000;

  /// The highest priority.
  public static final int PRIORITY_MAX = 1_000;

  private static final int CALLS_MAX = 1_000_000;

  /// Allows every call.
  public static final EffectLimit NONE =
      new EffectLimit(OptionalInt.empty(), Optional.empty(), OptionalInt.empty(), _ -> "", _ -> 0);

  /// At most so many calls in any period of a length.
  public record Rate(int calls, Duration period) {
    public Rate {
      requireCalls("rate", calls);
      if (period.toMillis() < 1 || period.compareTo(Duration.ofDays(1)) > 0) {
        throw new IllegalArgumentException(
            "limit: the period of a rate must be between a millisecond and a day, got " + period);
      }
    }
  }

  private static int requireCalls(String name, int calls) {
    if (calls < 1 || calls > CALLS_MAX) {
      throw new IllegalArgumentException(
          "limit: %s must be between 1 and %d, got %d".formatted(name, CALLS_MAX, calls));
    }
    return calls;
  }

  /// Returns a limit of calls in progress.
  public static EffectLimit atOnce(int calls) {
    return NONE.withAtOnce(calls);
  }

  /// Returns a limit of calls per second.
  public static EffectLimit perSecond(int calls) {
    return NONE.withRate(calls, Duration.ofSeconds(1));
  }

  /// Returns a limit of calls in progress with the same value of a context key or payload entry:
  /// `perKey("customer", 1)` makes at most one call per customer at once.
  public static EffectLimit perKey(String name, int calls) {
    return NONE.withPerKey(name, calls);
  }

  /// Returns this limit with another number of calls in progress.
  public EffectLimit withAtOnce(int calls) {
    OptionalInt value = OptionalInt.of(requireCalls("atOnce", calls));
    return new EffectLimit(value, rate, perKey, key, priority);
  }

  /// Returns this limit with another rate.
  public EffectLimit withRate(int calls, Duration period) {
    return new EffectLimit(atOnce, Optional.of(new Rate(calls, period)), perKey, key, priority);
  }

  /// Returns this limit with another number of calls in progress per value of a context key or
  /// payload entry. Calls without it share one key.
  public EffectLimit withPerKey(String name, int calls) {
    return withPerKey(context -> String.valueOf(context.get(name)), calls);
  }

  /// Returns this limit with another number of calls in progress per key.
  public EffectLimit withPerKey(Function<Context, String> keyOf, int calls) {
    OptionalInt value = OptionalInt.of(requireCalls("perKey", calls));
    return new EffectLimit(atOnce, rate, value, keyOf, priority);
  }

  /// Returns this limit with priorities: a call with a greater number goes first.
  public EffectLimit withPriority(ToIntFunction<Context> priorityOf) {
    return new EffectLimit(atOnce, rate, perKey, key, priorityOf);
  }

  /// Returns how many calls of a type may be in progress; `Integer.MAX_VALUE` without a limit.
  public static int atOnce(Map<String, EffectLimit> limits, String type) {
    return limits.getOrDefault(type, NONE).atOnce.orElse(Integer.MAX_VALUE);
  }

  /// Returns whether a call may have to wait for a time, whatever other calls do.
  public boolean isTimed() {
    return rate.isPresent();
  }

  /// Returns the key of a call. Throws what the user's function throws, and
  /// `IllegalArgumentException` if the key contains U+0000, which no text of PostgreSQL can hold.
  String keyOf(Context context) {
    String found = key.apply(context);
    if (found.indexOf(0) >= 0) {
      throw new IllegalArgumentException(
          "the key of a limit must not contain U+0000, got '"
              + found.replace("\0", "\\u0000")
              + "'");
    }
    return found;
  }

  /// Returns the place of a call in the queue. Throws what the functions for key and priority
  /// throw.
  Permits.Waiter waiter(Permits.Owner owner, String type, Context context, long since) {
    int level = Math.clamp(priority.applyAsInt(context), PRIORITY_MIN, PRIORITY_MAX);
    return new Permits.Waiter(owner, type, keyOf(context), level, since);
  }
}
