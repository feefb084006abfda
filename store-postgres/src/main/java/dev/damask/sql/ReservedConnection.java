package dev.damask.sql;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/// A connection that one purpose of a node keeps from opening to closing, so that requests and
/// handlers that use up the pool cannot stop the heartbeat. A broken one is replaced.
///
/// Used by one thread at a time.
public final class ReservedConnection implements AutoCloseable {
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

  /// Closes the connection; the next use takes another one.
  public synchronized void discard() {
    Connection known = held;
    held = null;
    if (known == null) {
      return;
    }
    try {
      if (!known.getAutoCommit()) {
        known.rollback();
        known.setAutoCommit(true);
      }
    } catch (SQLException e) {
      log(e);
    }
    try {
      known.close();
    } catch (SQLException e) {
      log(e);
    }
  }

  private static void log(SQLException e) {
    System.getLogger(ReservedConnection.class.getName())
        .log(System.Logger.Level.DEBUG, "a broken connection could not be closed", e);
  }

  @Override
  public void close() {
    discard();
  }
}
