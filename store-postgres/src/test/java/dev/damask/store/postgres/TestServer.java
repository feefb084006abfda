package dev.damask.store.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/// A real PostgreSQL: the one that `DAMASK_TEST_POSTGRES` names, or one that is started once per
/// JVM. Each test gets a schema of its own.
final class TestServer {
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  /// Where the server listens and who may connect.
  private record Address(String host, int port, String database, String user, String password) {}

  private static final class Holder {
    static final Address ADDRESS = start();
  }

  private TestServer() {}

  private static Address start() {
    String named = System.getenv("DAMASK_TEST_POSTGRES");
    if (named != null) {
      URI uri = URI.create(named);
      String[] user = uri.getUserInfo().split(":", 2);
      return new Address(
          uri.getHost(), uri.getPort(), uri.getPath().substring(1), user[0], user[1]);
    }
    try {
      // Closed by the library when the JVM ends.
      EmbeddedPostgres server =
          EmbeddedPostgres.builder()
              .setServerConfig("fsync", "on")
              .setServerConfig("synchronous_commit", "on")
              .setServerConfig("full_page_writes", "on")
              .setServerConfig("max_connections", "200")
              .start();
      return new Address("localhost", server.getPort(), "postgres", "postgres", "postgres");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static int port() {
    return Holder.ADDRESS.port;
  }

  static String host() {
    return Holder.ADDRESS.host;
  }

  /// Connections without a pool.
  static PGSimpleDataSource source() {
    return through(host(), port());
  }

  /// Connections through a proxy.
  static PGSimpleDataSource through(String host, int port) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(new String[] {host});
    source.setPortNumbers(new int[] {port});
    source.setDatabaseName(Holder.ADDRESS.database);
    source.setUser(Holder.ADDRESS.user);
    source.setPassword(Holder.ADDRESS.password);
    source.setConnectTimeout(10);
    source.setSslMode("disable"); // the proxy reads the protocol
    return source;
  }

  /// Returns options for a schema that no other test uses, and creates its tables.
  static PostgresOptions schema() {
    PostgresOptions options = newSchema();
    new PostgresSchema(source(), options).init();
    return options;
  }

  /// Returns options for a schema that does not exist.
  static PostgresOptions newSchema() {
    return PostgresOptions.DEFAULT.withSchema(
        "test_" + ProcessHandle.current().pid() + "_" + NUMBERS.incrementAndGet());
  }

  static void execute(String sql) {
    execute(source(), sql);
  }

  static void execute(DataSource source, String sql) {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /// Returns the rows of a query, the columns of each joined with spaces.
  static List<String> query(String sql) {
    try (Connection connection = source().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        StringBuilder line = new StringBuilder();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          line.append(i == 1 ? "" : " ").append(rows.getString(i));
        }
        found.add(line.toString());
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
