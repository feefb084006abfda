package dev.damask.spring;

import dev.damask.cluster.StoreCluster;
import dev.damask.effect.TransactionScope;
import dev.damask.store.postgres.PostgresCluster;
import dev.damask.store.postgres.PostgresOptions;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/// Opens the engine on the application's `DataSource` if `damask.store` is `datasource`. Effects
/// that are delivered exactly once run in a Spring transaction, which the engine commits.
@AutoConfiguration(before = DamaskAutoConfiguration.class)
@ConditionalOnClass(PostgresCluster.class)
@ConditionalOnProperty(prefix = "damask", name = "store", havingValue = DamaskProperties.DATASOURCE)
public class DamaskPostgresAutoConfiguration {
  /// Returns the cluster in the application's database, configured by a bean of type
  /// `PostgresOptions`.
  @Bean
  @ConditionalOnMissingBean
  StoreCluster damaskCluster(DataSource source, ObjectProvider<PostgresOptions> options) {
    return PostgresCluster.of(source, options.getIfAvailable(() -> PostgresOptions.DEFAULT));
  }

  /// Joins the transactions of Spring.
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(JdbcTransactionManager.class)
  static class Transactions {
    /// Returns what prepares the data sources for the connections of steps.
    @Bean
    static StepDataSources damaskStepDataSources() {
      return new StepDataSources();
    }

    /// Returns the scope of handlers, with the application's transaction manager or, if it has
    /// none, with one for its data source.
    @Bean
    @ConditionalOnMissingBean
    TransactionScope damaskTransactionScope(
        DataSource source, ObjectProvider<PlatformTransactionManager> managers) {
      PlatformTransactionManager unique = managers.getIfUnique();
      if (unique == null && managers.stream().findAny().isPresent()) {
        throw new IllegalStateException(
            "damask.store: the application has several transaction managers; make the one of the"
                + " engine's DataSource the primary bean");
      }
      PlatformTransactionManager used =
          unique == null ? new JdbcTransactionManager(source) : unique;
      return new SpringTransactionScope(used, source);
    }
  }
}
