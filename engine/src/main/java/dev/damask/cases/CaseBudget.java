package dev.damask.cases;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/// What the effects of one case may use up in total. An effect beyond it is refused: its task fails
/// with `budget`. What undoes is never refused for it.
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
      throw new IllegalArgumentException("a budget is not negative, got " + effects);
    }
    if (time.isPresent() && time.get().isNegative()) {
      throw new IllegalArgumentException("a budget is not negative, got " + time);
    }
    if (cost.isPresent() && cost.get().signum() < 0) {
      throw new IllegalArgumentException("a budget is not negative, got " + cost);
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
