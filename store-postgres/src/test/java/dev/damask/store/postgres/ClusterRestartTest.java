package dev.damask.store.postgres;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.damask.cases.Engine;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A PostgreSQL that is killed and started again under two nodes.
@Timeout(120)
final class ClusterRestartTest {
  @TempDir Path folder;

  private final WorkflowDefinition waiting =
      workflow(
          "waiting",
          defer(
              on("go", task("end", c -> c.with("ended", true))),
              after(Duration.ofDays(2), skip())));

  private EmbeddedPostgres server(int port) throws IOException {
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .setDataDirectory(folder.resolve("data"))
            .setCleanDataDirectory(false)
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("full_page_writes", "on");
    return (port == 0 ? builder : builder.setPort(port)).start();
  }

  private static HikariDataSource pool(EmbeddedPostgres server) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(server.getPostgresDatabase());
    config.setMaximumPoolSize(12);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(1_000);
    return new HikariDataSource(config);
  }

  private void kill() throws IOException {
    long pid =
        Long.parseLong(
            Files.readAllLines(folder.resolve("data/postmaster.pid")).getFirst().strip());
    ProcessHandle master = ProcessHandle.of(pid).orElseThrow();
    List<ProcessHandle> backends = master.children().toList();
    master.destroyForcibly();
    backends.forEach(ProcessHandle::destroyForcibly);
    TestNodes.await(
        () -> !master.isAlive() && backends.stream().noneMatch(ProcessHandle::isAlive),
        () -> "the end of the server");
    Files.deleteIfExists(folder.resolve("data/postmaster.pid"));
  }

  @Test
  void both_nodes_go_on_by_themselves_and_nothing_is_lost() throws Exception {
    EmbeddedPostgres server = server(0);
    List<EmbeddedPostgres> servers = new ArrayList<>(); // closed after the engines
    int port = server.getPort();
    PostgresOptions options = PostgresOptions.DEFAULT.withLease(TestNodes.LEASE);
    try (HikariDataSource first = pool(server);
        HikariDataSource second = pool(server)) {
      new PostgresSchema(first, options).init();
      try (Engine one =
              Engine.open(TestNodes.engineOptions(), PostgresCluster.of(first, options), waiting);
          Engine two =
              Engine.open(
                  TestNodes.engineOptions(), PostgresCluster.of(second, options), waiting)) {
        for (int i = 0; i < 10; i++) {
          one.start(waiting, "before-" + i, Context.empty());
        }

        kill();
        List<CompletableFuture<?>> during = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
          during.add(two.startAsync(waiting, "during-" + i, Context.empty()));
        }
        server.close(); // it is dead; only the lock of its directory is released
        servers.add(server(port));

        for (int i = 0; i < 10; i++) {
          during.get(i).join();
          assertThat(one.signal("before-" + i, "go", Map.of()).isAccepted()).isTrue();
          assertThat(one.signal("during-" + i, "go", Map.of()).isAccepted()).isTrue();
        }
        assertThat(two.verify()).isEmpty();
      }
    } finally {
      for (EmbeddedPostgres each : servers) {
        each.close();
      }
    }
  }
}
