package dev.damask.spring;

import dev.damask.cases.Engine;
import dev.damask.ops.Statistics;
import dev.damask.store.StoreException;
import java.util.Optional;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/// Down when the engine has stopped, for example because its store cannot be written. The details
/// say what it has in hand.
public final class DamaskHealthIndicator implements HealthIndicator {
  private final Engine engine;

  /// Creates the indicator of an engine.
  public DamaskHealthIndicator(Engine engine) {
    this.engine = engine;
  }

  @Override
  public Health health() {
    Optional<StoreException> stopped = engine.stopReason();
    if (stopped.isPresent()) {
      return Health.down().withDetail("reason", String.valueOf(stopped.get().getMessage())).build();
    }
    Statistics now = engine.statistics();
    return Health.up()
        .withDetail("residentCases", now.resident())
        .withDetail("waitingInputs", now.inbox())
        .withDetail("openCalls", now.openCalls())
        .withDetail("missingPrograms", engine.missingPrograms().size())
        .build();
  }
}
