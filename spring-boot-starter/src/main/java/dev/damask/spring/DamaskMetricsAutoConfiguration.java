package dev.damask.spring;

import dev.damask.cases.Engine;
import dev.damask.micrometer.EngineMetrics;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/// Publishes the figures of the engine when `damask-micrometer` is on the class path.
@AutoConfiguration(after = DamaskAutoConfiguration.class)
@ConditionalOnClass({MeterBinder.class, EngineMetrics.class})
@ConditionalOnBean(Engine.class)
public class DamaskMetricsAutoConfiguration {
  /// Returns the meters, which Spring Boot binds to its registries.
  @Bean
  @ConditionalOnMissingBean
  EngineMetrics damaskEngineMetrics(Engine engine) {
    return new EngineMetrics(engine);
  }
}
