package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.damask.scenario.ScenarioDocument;
import dev.damask.scenario.ScenarioReader;
import dev.damask.simulation.EngineScenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Scenarios pass on PostgreSQL as on the other stores. A build plays a sample; with
/// `-Ddamask.cluster.scenarios=1` every scenario is played.
final class PostgresScenarioTest {
  private static final int STEP = Integer.getInteger("damask.cluster.scenarios", 25);

  private static final PostgresOptions OPTIONS = TestServer.schema();
  private static final HikariDataSource POOL = pool();

  private static HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(TestServer.source());
    config.setMaximumPoolSize(12);
    return new HikariDataSource(config);
  }

  @AfterAll
  static void close() {
    POOL.close();
  }

  static List<Path> scenarios() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("..", "scenarios"))) {
      List<Path> all = files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
      return IntStream.range(0, all.size()).filter(i -> i % STEP == 0).mapToObj(all::get).toList();
    }
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void passes(Path file) {
    String tables =
        TestServer.query(
                "select string_agg(format('%I.%I', schemaname, tablename), ', ') from pg_tables"
                    + " where schemaname = '"
                    + OPTIONS.schema()
                    + "' and tablename not in ('cluster', 'node', 'heartbeat', 'slot', 'backend')")
            .getFirst();
    TestServer.execute("truncate " + tables);
    ScenarioDocument scenario = new ScenarioReader().read(file);
    try (EngineScenario played =
        new EngineScenario(scenario, () -> PostgresStore.open(POOL, OPTIONS), false, 1)) {
      assertThat(played.play()).as(file.toString()).isEmpty();
    }
  }
}
