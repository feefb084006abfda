package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.damask.sql.CommitOutcome;
import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The user's pool.
@Timeout(60)
final class PoolTest {
  private static final int SIZE = 4;

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
