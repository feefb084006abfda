package dev.damask.store.postgres;

import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// Refuses servers on which the guarantees do not hold.
final class ServerCheck {
  private static final int VERSION_MIN = 15;
  private static final int VERSION_SCALE = 10_000;
  private static final int WAIT_SECONDS = 5;
  private static final int READS = 8;

  private ServerCheck() {}

  /// Checks version, encoding, role of the server and its durability settings.
  static void require(Connection connection, PostgresOptions options) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select current_setting('server_version_num')::int4,"
                    + " current_setting('server_version'), current_setting('server_encoding'),"
                    + " pg_is_in_recovery(), current_setting('fsync'),"
                    + " current_setting('full_page_writes')")) {
      row.next();
      if (row.getInt(1) / VERSION_SCALE < VERSION_MIN) {
        throw new StoreException(
            "the server has version %s; use PostgreSQL %d or later"
                .formatted(row.getString(2), VERSION_MIN));
      }
      if (!row.getString(3).equals("UTF8")) {
        throw new StoreException(
            "the database has encoding %s; create a database with encoding UTF8"
                .formatted(row.getString(3)));
      }
      if (row.getBoolean(4)) {
        throw new StoreException("the server is a read-only standby; connect to the primary");
      }
      if (!options.canLoseData()) {
        requireOn("fsync", row.getString(5));
        requireOn("full_page_writes", row.getString(6));
      }
    }
  }

  private static void requireOn(String setting, String value) {
    if (!value.equals("on")) {
      throw new StoreException(
          ("the server has %s %s and can lose acknowledged changes in a crash; turn it on, or"
                  + " accept that with PostgresOptions.withServerThatCanLoseData")
              .formatted(setting, value));
    }
  }

  /// Refuses a pooler in transaction mode, which gives the statements of one connection to several
  /// sessions of the server: session state, LISTEN and the registered backends would be wrong.
  static void requireSessions(DataSource source) throws SQLException {
    try (Connection one = source.getConnection();
        Connection other = source.getConnection()) {
      one.setAutoCommit(true);
      String mark = UUID.randomUUID().toString();
      query(one, "select set_config('damask.session', '" + mark + "', false)");
      boolean isPooled;
      try {
        isPooled = mark.equals(session(other)) || !keepsSession(one, other, mark);
      } finally {
        query(one, "select set_config('damask.session', '', false)");
      }
      if (isPooled) {
        throw new StoreException(
            "the connections go through a pooler in transaction mode; connect to the server"
                + " directly or set the pooler to session mode");
      }
    }
  }

  /// Returns whether one connection keeps its setting while the other is in a transaction, which
  /// holds a session of the pooler. A pooler may use its sessions in turn, so it is read again.
  private static boolean keepsSession(Connection one, Connection other, String mark)
      throws SQLException {
    boolean isKept;
    other.setAutoCommit(false);
    try {
      isKept = !mark.equals(session(other));
      for (int i = 0; i < READS && isKept; i++) {
        isKept = mark.equals(session(one));
      }
    } finally {
      other.rollback();
      other.setAutoCommit(true);
    }
    return isKept;
  }

  private static @Nullable String session(Connection connection) throws SQLException {
    return query(connection, "select current_setting('damask.session', true)");
  }

  private static @Nullable String query(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setQueryTimeout(WAIT_SECONDS);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }
}
