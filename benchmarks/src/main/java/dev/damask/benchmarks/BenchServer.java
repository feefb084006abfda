package dev.damask.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.damask.store.postgres.PostgresOptions;
import dev.damask.store.postgres.PostgresSchema;
import dev.damask.store.postgres.PostgresUrl;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// The server that the figures of a cluster are measured on: the one that `DAMASK_TEST_POSTGRES`
/// names, or one that is started for the run. Its settings of durability are on.
final class BenchServer implements AutoCloseable {
  private final @Nullable EmbeddedPostgres own;
  private final PostgresUrl url;
  private final List<HikariDataSource> pools = new ArrayList<>();
  private int schemas;

  BenchServer() throws IOException {
    String named = System.getenv("DAMASK_TEST_POSTGRES");
    this.own =
        named != null
            ? null
            : EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "300")
                .start();
    this.url =
        PostgresUrl.parse(
            own == null
                ? String.valueOf(named)
                : "postgresql://postgres:postgres@localhost:" + own.getPort() + "/postgres");
  }

  /// Creates the tables of a new cluster.
  PostgresOptions schema() {
    PostgresOptions options =
        url.options().withSchema("figures_" + ProcessHandle.current().pid() + "_" + ++schemas);
    new PostgresSchema(url.source(), options).init();
    return options;
  }

  /// Returns a pool as a node has it.
  DataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(url.source());
    config.setMaximumPoolSize(24);
    config.setMinimumIdle(0);
    HikariDataSource pool = new HikariDataSource(config);
    pools.add(pool);
    return pool;
  }

  Connection connect() throws SQLException {
    return url.source().getConnection();
  }

  /// Returns the first number of a query.
  long number(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /// Returns how many transactions the database has committed. The server's counters are late by up
  /// to a second.
  long transactions() throws SQLException {
    return number("select xact_commit from pg_stat_database where datname = current_database()");
  }

  /// Returns how many bytes of write-ahead log the server has written.
  long walBytes() throws SQLException {
    return number("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::int8");
  }

  /// Returns how many bytes the tables and indexes of a schema take.
  long bytesOf(PostgresOptions options) throws SQLException {
    return number(
        "select sum(pg_total_relation_size(c.oid))::int8 from pg_class c"
            + " join pg_namespace n on n.oid = c.relnamespace"
            + " where c.relkind = 'r' and n.nspname = '"
            + options.schema()
            + "'");
  }

  @Override
  public void close() throws IOException {
    pools.forEach(HikariDataSource::close);
    if (own != null) {
      own.close();
    }
  }
}
