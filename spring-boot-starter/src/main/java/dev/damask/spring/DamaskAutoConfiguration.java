package dev.damask.spring;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.clock.EngineClock;
import dev.damask.cluster.StoreCluster;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.TransactionScope;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.term.Workflow;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/// Opens the engine of an application. Its workflows are all beans of type `Workflow`; a bean of
/// type `EffectHandler` handles the effect type of its name.
///
/// The engine opens after the beans that its workflows use and closes before them. Handlers that
/// run when the application stops have the time of `damask.grace` to finish; what they do not
/// finish continues at the next start.
@AutoConfiguration
@ConditionalOnProperty(prefix = "damask", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(DamaskProperties.class)
public class DamaskAutoConfiguration {
  private static final System.Logger LOG =
      System.getLogger(DamaskAutoConfiguration.class.getName());

  /// Returns the options of the engine: the properties, the handlers, then the customizers.
  @Bean
  @ConditionalOnMissingBean
  EngineOptions damaskEngineOptions(
      DamaskProperties properties,
      Map<String, EffectHandler> handlers,
      ObjectProvider<EngineClock> clock,
      ObjectProvider<TransactionScope> transactions,
      ObjectProvider<EngineOptionsCustomizer> customizers) {
    EngineOptions options = properties.apply(EngineOptions.defaults()).withHandlers(handlers);
    EngineClock own = clock.getIfUnique();
    options = own == null ? options : options.withClock(own);
    options = options.withTransactions(transactions.getIfUnique(() -> TransactionScope.NONE));
    for (EngineOptionsCustomizer each : customizers.orderedStream().toList()) {
      options = each.customize(options);
    }
    return options;
  }

  /// Opens the engine on the bean of type `Store` or `StoreCluster`, on the directory of
  /// `damask.store`, or in memory.
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Engine damaskEngine(
      EngineOptions options,
      DamaskProperties properties,
      ObjectProvider<Store> store,
      ObjectProvider<StoreCluster> cluster,
      ObjectProvider<Workflow<?, ?>> workflows) {
    Workflow<?, ?>[] all = workflows.orderedStream().toArray(Workflow<?, ?>[]::new);
    Store own = store.getIfUnique();
    if (own != null) {
      return Engine.open(options, own, all);
    }
    StoreCluster shared = cluster.getIfUnique();
    if (shared != null) {
      return Engine.open(options, shared, all);
    }
    if (properties.isInMemory()) {
      return Engine.open(options, new MemoryStore(), all);
    }
    LOG.log(
        System.Logger.Level.INFO,
        () -> "cases are stored in " + properties.directory().toAbsolutePath());
    return Engine.open(options, properties.directory(), all);
  }
}
