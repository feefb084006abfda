package dev.damask.spring;

import dev.damask.cases.Engine;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/// Adds the engine to the health of an application with Actuator.
@AutoConfiguration(after = DamaskAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(Engine.class)
@ConditionalOnEnabledHealthIndicator("damask")
public class DamaskHealthAutoConfiguration {
  /// Returns the indicator, which Actuator shows as `damask`.
  @Bean
  @ConditionalOnMissingBean
  DamaskHealthIndicator damaskHealthIndicator(Engine engine) {
    return new DamaskHealthIndicator(engine);
  }
}
