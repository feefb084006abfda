package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.sql.ClusterIdentity;
import dev.damask.sql.NodeConnections;
import dev.damask.sql.SqlText;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// New connections that lead elsewhere, as they may during a failover.
@Timeout(60)
final class ClusterStandbyTest {
  private final TestNodes nodes = new TestNodes();
  private final AtomicBoolean isElsewhere = new AtomicBoolean();
  private final WorkflowDefinition waiting =
      workflow("waiting", defer(on("go", task("end", c -> c.with("ended", true)))));

  @AfterEach
  void close() {
    isElsewhere.set(false);
    nodes.close();
  }

  private AlteredSource altered(String part, String other) {
    return new AlteredSource(
        TestServer.source(), sql -> isElsewhere.get() ? sql.replace(part, other) : sql);
  }

  @Test
  void an_engine_waits_while_its_connections_lead_to_a_standby() throws Exception {
    AlteredSource source = altered("pg_is_in_recovery()", "true");
    Engine engine = nodes.open(source, waiting);
    engine.start(waiting, "one", Context.of("n", 1));

    isElsewhere.set(true);
    nodes.query(
        "select pg_terminate_backend(b.pid) from @.backend b join pg_stat_activity a"
            + " on a.pid = b.pid and a.backend_start = b.started");
    CompletableFuture<Void> started =
        CompletableFuture.runAsync(() -> engine.start(waiting, "two", Context.of("n", 2)));
    TestNodes.await(() -> source.changes() > 5, () -> "new connections");
    assertThat(started).isNotDone();
    isElsewhere.set(false);

    started.get(30, TimeUnit.SECONDS);
    engine.signal("two", "go", Map.of());
    assertThat(engine.await("two"))
        .isEqualTo(new CaseResult.Completed<>(Context.of("n", 2, "ended", true)));
  }

  @ParameterizedTest
  @CsvSource({
    "pg_is_in_recovery(), true, standby",
    "current_user, 'cast(''other'' as text)', role other",
    "'(select id from', '(select gen_random_uuid() from', leads to cluster"
  })
  void a_connection_that_leads_elsewhere_is_refused_and_not_handed_out_again(
      String part, String other, String message) throws Exception {
    AlteredSource source = altered(part, other);
    SqlText sql = new SqlText(nodes.options.schema());
    ClusterIdentity cluster;
    try (Connection connection = TestServer.source().getConnection()) {
      cluster = PostgresSchema.require(connection, sql);
    }
    NodeConnections connections = new NodeConnections(source, sql, cluster, "postgres", 0);
    connections.take().close();

    isElsewhere.set(true);

    assertThatThrownBy(connections::take).hasMessageContaining(message);
    isElsewhere.set(false);
    try (Connection again = connections.take()) {
      assertThat(again.isClosed()).isFalse();
    }
  }

  @Test
  void an_error_of_a_standby_is_repeated() {
    assertThat(PostgresErrors.isTransient(new SQLException("read-only", "25006"))).isTrue();
    assertThat(
            PostgresErrors.isTransient(
                new SQLException(
                    "ERROR: cannot set transaction read-write mode during recovery", "0A000")))
        .isTrue();
    assertThat(PostgresErrors.isTransient(new SQLException("no such feature", "0A000"))).isFalse();
  }
}
