package dev.damask.caller;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/// The limits on the effects of one case in total. An effect beyond them is refused: its task fails
/// with `budget`. Undo tasks are never refused for it.
///
/// @param effects how many may be started
/// @param time how long after the start of the case the last one may be started
/// @param cost how much their `cost` may add up to
public record CaseBudget(OptionalLong effects, Optional<Duration> time, Optional<BigDecimal> cost) {
  /// No limit.
  public static final CaseBudget NONE =
      new CaseBudget(OptionalLong.empty(), Optional.empty(), Optional.empty());

  public CaseBudget {
    if (effects.isPresent() && effects.getAsLong() < 0) {
      throw new IllegalArgumentException(
          "effects must not be negative, got " + effects.getAsLong());
    }
    if (time.isPresent() && time.get().isNegative()) {
      throw new IllegalArgumentException("time must not be negative, got " + time.get());
    }
    if (cost.isPresent() && cost.get().signum() < 0) {
      throw new IllegalArgumentException("cost must not be negative, got " + cost.get());
    }
  }

  /// Returns this budget with another limit on the number of effects.
  public CaseBudget withEffects(long max) {
    return new CaseBudget(OptionalLong.of(max), time, cost);
  }

  /// Returns this budget with another limit on the time after the start of the case.
  public CaseBudget withTime(Duration max) {
    return new CaseBudget(effects, Optional.of(max), cost);
  }

  /// Returns this budget with another limit on the sum of costs.
  public CaseBudget withCost(BigDecimal max) {
    return new CaseBudget(effects, time, Optional.of(max));
  }
}
