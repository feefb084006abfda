package dev.damask.store.postgres;

import dev.damask.simulation.FactHistories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Attributes on PostgreSQL.
@Timeout(180)
final class PostgresQueryTest {
  @Test
  void the_index_answers_as_a_scan_does_after_random_histories() {
    for (long seed = 200; seed < 205; seed++) {
      PostgresOptions options = TestServer.schema();
      FactHistories.check(seed, () -> PostgresStore.open(TestServer.source(), options));
    }
  }
}
