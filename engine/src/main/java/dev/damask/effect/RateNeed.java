package dev.damask.effect;

import java.time.Duration;

/// How many calls of a limited rate one node requests to begin now.
///
/// @param calls how many calls all nodes may begin within a period
/// @param wanted how many this node could begin
public record RateNeed(String type, int calls, Duration period, int wanted) {
  /// Returns how long a call that was allowed may begin. The store counts calls for the period and
  /// this time, so that no period has more calls than the limit, whenever they begin.
  public Duration validity() {
    return Duration.ofMillis(Math.clamp(period.toMillis() / 10, 1, 100));
  }
}
