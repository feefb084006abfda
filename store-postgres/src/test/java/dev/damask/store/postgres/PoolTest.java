package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.damask.cases.Engine;
import dev.damask.cluster.CaseMessage;
import dev.damask.cluster.SharedStore;
import dev.damask.sql.CommitOutcome;
import dev.damask.store.StoreException;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

/// The user's pool.
@Timeout(60)
final class PoolTest {
  private static final int SIZE = 4;
  private static final WorkflowDefinition WAITING = workflow("waiting", defer(on("go", skip())));

  private final TestCluster cluster = new TestCluster();

  @AfterEach
  void close() {
    cluster.close();
  }

  private static HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(TestServer.source());
    config.setMaximumPoolSize(SIZE);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(300);
    config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
    return new HikariDataSource(config);
  }

  /// The poll begins its transaction itself, so the driver would not end it.
  @Test
  void a_poll_that_fails_leaves_no_connection_in_an_aborted_transaction() throws SQLException {
    boolean[] isBroken = {false};
    AlteredSource source =
        new AlteredSource(
            TestServer.source(),
            sql -> isBroken[0] ? sql.replace("order by i.sent", "order by nothing") : sql);
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(SIZE);
    config.setMinimumIdle(0);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      PostgresNode node = cluster.join(pool);

      isBroken[0] = true;
      assertThatThrownBy(() -> node.poll(0)).isInstanceOf(SQLException.class);
      isBroken[0] = false;

      assertThat(node.poll(0).isFenced()).isFalse();
      try (Connection other = pool.getConnection()) {
        other.createStatement().execute("select 1");
      }
      node.leave();
      node.close();
    }
  }

  /// Without connections of its own, the heartbeat would wait for a connection like everyone else.
  @Test
  void a_pool_that_is_used_up_does_not_stop_the_heartbeat() throws SQLException {
    try (HikariDataSource pool = pool()) {
      PostgresNode node = cluster.join(pool);
      List<Connection> used = new ArrayList<>();
      while (pool.getHikariPoolMXBean().getActiveConnections() < SIZE) {
        used.add(pool.getConnection());
      }
      assertThatThrownBy(pool::getConnection).isInstanceOf(SQLException.class);

      cluster.pass(Duration.ofSeconds(3));
      assertThat(node.poll(0).isFenced()).isFalse();
      assertThat(node.mayWork()).isTrue();
      assertThat(node.handOver(TestCluster.ALL)).isFalse();

      for (Connection each : used) {
        each.close();
      }
      node.leave();
      node.close();
    }
  }

  /// A connection that is given back to a pool that is used up belongs to the next borrower.
  @Test
  void a_failed_statement_does_not_cost_a_node_a_connection_of_its_own() throws Exception {
    boolean[] isBroken = {false};
    AlteredSource source =
        new AlteredSource(
            TestServer.source(),
            sql -> isBroken[0] ? sql.replace("order by i.sent", "order by nothing") : sql);
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(SIZE);
    config.setConnectionTimeout(20_000);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      PostgresNode node = cluster.join(pool);
      List<Connection> used = new ArrayList<>();
      while (used.size() < SIZE - 2) { // the others are the node's
        used.add(pool.getConnection());
      }
      CompletableFuture<Connection> borrower =
          cluster.inThread(() -> {
            try {
              return pool.getConnection();
            } catch (SQLException e) {
              throw new IllegalStateException(e);
            }
          });
      TestNodes.await(
          () -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1,
          () -> "a borrower that waits");

      isBroken[0] = true;
      assertThatThrownBy(() -> node.poll(0)).isInstanceOf(SQLException.class);
      isBroken[0] = false;

      assertThat(borrower).isNotDone();
      assertThat(node.poll(0).isFenced()).isFalse();
      used.getFirst().close();
      borrower.join().close();
      node.leave();
      node.close();
    }
  }

  @Test
  void a_node_gets_its_connections_back_after_all_have_ended() throws Exception {
    try (TestNodes nodes = new TestNodes()) {
      Engine engine = nodes.open(WAITING);
      engine.start(WAITING, "case-1", Context.empty());
      String sessions =
          "select a.pid from pg_stat_activity a join @.backend b"
              + " on b.pid = a.pid and b.started = a.backend_start";
      List<String> before = nodes.query(sessions);

      assertThat(nodes.query("select pg_terminate_backend(pid) from (" + sessions + ") as s"))
          .hasSizeGreaterThanOrEqualTo(4);

      assertThat(engine.status("case-1").places()).containsExactly("go");
      assertThat(engine.signal("case-1", "go", Map.of()).isAccepted()).isTrue();
      TestNodes.await(
          () -> {
            List<String> now = nodes.query(sessions + " where a.query like 'listen damask%'");
            return now.size() == 1 && !before.containsAll(now);
          },
          () -> "a new session that listens: " + nodes.query(sessions));
      engine.start(WAITING, "case-2", Context.empty());
      assertThat(nodes.query("select id, fenced from @.node")).containsExactly("1 f");
    }
  }

  /// The pool has not noticed yet that its sessions have ended.
  @Test
  void every_read_and_message_succeeds_right_after_the_sessions_of_a_pool_have_ended()
      throws Exception {
    try (TestNodes nodes = new TestNodes();
        HikariDataSource pool = pool()) {
      Engine owner = nodes.open(WAITING);
      owner.start(WAITING, "case-1", Context.empty());
      PostgresClient client = PostgresClient.open(pool, nodes.options);
      SharedStore store = PostgresCluster.of(pool, nodes.options).asClient().join();
      for (int i = 0; i < 3; i++) {
        end(pool);
        assertThat(store.record("case-1")).isPresent();
        end(pool);
        client.send(
            new CaseMessage("case-1", "message-" + i, "signal", "go", Context.empty(), false));
      }
      assertThat(client.await("case-1", "message-0", Duration.ofSeconds(20))).isPresent();
      store.close();
    }
  }

  /// Ends all sessions of a pool that are idle.
  private static void end(HikariDataSource pool) throws SQLException {
    List<Connection> all = new ArrayList<>();
    List<String> pids = new ArrayList<>();
    while (pool.getHikariPoolMXBean().getActiveConnections() < SIZE) {
      Connection each = pool.getConnection();
      all.add(each);
      pids.add(String.valueOf(each.unwrap(PGConnection.class).getBackendPID()));
    }
    for (Connection each : all) {
      each.close();
    }
    TestServer.query(
        "select pg_terminate_backend(pid, 5000) from unnest(array[%s]) as u (pid)"
            .formatted(String.join(", ", pids)));
  }

  @Test
  void every_connection_of_the_pool_is_registered_once() throws SQLException {
    try (HikariDataSource pool = pool()) {
      PostgresNode node = cluster.join(pool);
      for (int i = 0; i < 10; i++) {
        try (Connection connection = node.connections().take()) {
          assertThat(node.commit(connection, node.epoch(), _ -> true))
              .isInstanceOf(CommitOutcome.Done.class);
        }
      }

      assertThat(
              TestServer.query(
                  "select count(*) from %s.backend where node = %d"
                      .formatted(cluster.schema, node.id())))
          .containsExactly("3");
      node.close();
    }
  }

  /// A pooler in transaction mode gives each statement to whatever session is free.
  @Test
  void a_pooler_in_transaction_mode_is_refused() {
    AlteredSource oneSession =
        new AlteredSource(
            TestServer.source(),
            sql -> sql.replace("current_setting('damask.session', true)", "'other'"));
    AlteredSource seenElsewhere =
        new AlteredSource(
            TestServer.source(),
            sql ->
                sql.startsWith("select set_config('damask.session'")
                    ? share(sql)
                    : sql.replace("current_setting('damask.session', true)", "'" + shared + "'"));

    assertThatThrownBy(() -> PostgresNode.join(oneSession, cluster.options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("pooler in transaction mode")
        .hasMessageContaining("session mode");
    assertThatThrownBy(() -> PostgresNode.join(seenElsewhere, cluster.options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("pooler in transaction mode");
  }

  private String shared = ""; // the setting that all sessions share

  private String share(String sql) {
    shared = sql.replaceAll(".*'damask.session', '([^']*)'.*", "$1");
    return sql;
  }
}
