package dev.damask.store.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.damask.simulation.FactHistories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Attributes on PostgreSQL.
@Timeout(180)
final class PostgresQueryTest {
  @Test
  void the_index_answers_as_a_scan_does_after_random_histories() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(TestServer.source());
    config.setMaximumPoolSize(6);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      for (long seed = 200; seed < 202; seed++) {
        PostgresOptions options = TestServer.schema();
        FactHistories.check(seed, () -> PostgresStore.open(pool, options));
      }
    }
  }
}
