package dev.damask.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/// A connection that one purpose of a node keeps from opening to closing, so that requests and
/// handlers that use up the pool cannot stop the heartbeat. A broken one is replaced.
///
/// Used by one thread at a time.
public final class ReservedConnection implements AutoCloseable {
  private static final int WAIT_SECONDS = 1;

  private final NodeConnections connections;
  private @Nullable Connection held; // null until the first use and after a failure

  public ReservedConnection(NodeConnections connections) {
    this.connections = connections;
  }

  public synchronized Connection get() throws SQLException {
    Connection known = held;
    if (known == null) {
      known = connections.take();
      held = known;
    }
    return known;
  }

  /// Ends the session if it is broken; the next use takes another one. A connection that only
  /// reported an error is kept, because the pool may be used up.
  public synchronized void discard() {
    Connection known = held;
    if (known != null && !isUsable(known)) {
      held = null;
      connections.lost(known);
    }
  }

  /// Returns whether the session is alive and still leads to a primary. It is in no transaction
  /// then.
  private static boolean isUsable(Connection connection) {
    try {
      if (!connection.isValid(WAIT_SECONDS)) {
        return false;
      }
      connection.setAutoCommit(false);
      connection.rollback();
      connection.setAutoCommit(true);
      try (Statement statement = connection.createStatement()) {
        statement.execute("rollback"); // of a transaction that the driver does not know of
        try (ResultSet row = statement.executeQuery("select pg_is_in_recovery()")) {
          row.next();
          return !row.getBoolean(1);
        }
      }
    } catch (SQLException e) {
      log(e);
      return false;
    }
  }

  private static void log(SQLException e) {
    System.getLogger(ReservedConnection.class.getName())
        .log(System.Logger.Level.DEBUG, "a connection is broken", e);
  }

  /// Returns the connection to the pool.
  @Override
  public synchronized void close() {
    Connection known = held;
    held = null;
    if (known == null) {
      return;
    }
    try (known) {
      if (!known.getAutoCommit()) {
        known.rollback();
        known.setAutoCommit(true);
      }
    } catch (SQLException e) {
      log(e);
    }
  }
}
