package dev.damask.spring.test;

import dev.damask.cases.Engine;
import dev.damask.clock.VirtualClock;
import dev.damask.spring.DamaskAutoConfiguration;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/// Gives a [DamaskTest] its store and its clock.
@AutoConfiguration(before = DamaskAutoConfiguration.class)
public class DamaskTestAutoConfiguration {
  /// 2026-01-01T00:00:00Z, so that a test does not depend on the day it runs.
  private static final long START_MILLIS = 1_767_225_600_000L;

  /// Returns the store of the test, which ends with its context.
  @Bean(destroyMethod = "")
  @ConditionalOnMissingBean
  Store damaskStore() {
    return new MemoryStore();
  }

  /// Returns the clock that only the test moves.
  @Bean
  @ConditionalOnMissingBean
  VirtualClock damaskClock() {
    return new VirtualClock(START_MILLIS);
  }

  /// Returns the time of the test.
  @Bean
  @ConditionalOnMissingBean
  VirtualTime damaskVirtualTime(Engine engine, VirtualClock clock) {
    return new VirtualTime(engine, clock);
  }
}
