package dev.damask.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.store.postgres.PostgresSchema;
import dev.damask.store.postgres.PostgresUrl;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The example as the script runs it, with two nodes, one of which leaves.
@Timeout(120)
final class ClusterExampleTest {
  @Test
  void every_order_takes_one_piece_while_a_node_leaves() throws Exception {
    try (EmbeddedPostgres server =
        EmbeddedPostgres.builder()
            .setServerConfig("fsync", "on")
            .setServerConfig("full_page_writes", "on")
            .start()) {
      PostgresUrl url =
          PostgresUrl.parse(
              "postgresql://postgres:postgres@localhost:" + server.getPort() + "/postgres");
      new PostgresSchema(url.source(), url.options()).init();
      ClusterExample.createTables(url);
      ByteArrayOutputStream printed = new ByteArrayOutputStream();
      Engine leaving = ClusterExample.open(url, "one");
      try (Engine _ = ClusterExample.open(url, "two")) {
        Thread closer = Thread.ofVirtual().start(leaving::close);
        ClusterExample.orders(url, 20, new PrintStream(printed, true, StandardCharsets.UTF_8));
        closer.join();
      }
      assertThat(printed.toString(StandardCharsets.UTF_8))
          .contains("20 of 20 orders completed")
          .endsWith(String.format("20 pieces taken for 20 orders%n"));
    }
  }
}
