package dev.damask.store.postgres;

import dev.damask.cluster.CommitId;
import dev.damask.sql.CommitOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;

/// Runs commit transactions of a node behind the fence.
final class FencedCommit {
  /// Work on a connection inside a transaction that the caller has begun and will commit.
  @FunctionalInterface
  interface SqlFunction<T> {
    T apply(Connection connection) throws SQLException;
  }

  private final NodeLocks locks;

  FencedCommit(NodeLocks locks) {
    this.locks = locks;
  }

  /// Runs one transaction: fence, work, COMMIT. The connection must be in auto-commit mode and is
  /// again afterwards, unless it is broken.
  CommitOutcome run(Connection connection, int node, long epoch, SqlFunction<?> work) {
    return run(connection, new CommitId(node, epoch, 0), work);
  }

  /// Runs one transaction as above and notes the number of the commit in it.
  CommitOutcome run(Connection connection, CommitId id, SqlFunction<?> work) {
    try {
      connection.setAutoCommit(false);
      try {
        locks.fence(connection, id.node(), id.epoch(), id.number());
        work.apply(connection);
      } catch (NodeLocks.FencedException e) {
        connection.rollback();
        return new CommitOutcome.Refused();
      } catch (SQLException e) {
        rollback(connection, e);
        return new CommitOutcome.Failed(e, PostgresErrors.isTransient(e));
      }
      return commit(connection);
    } catch (SQLException e) {
      return new CommitOutcome.Failed(e, true); // the connection broke before COMMIT was sent
    } finally {
      restore(connection);
    }
  }

  /// Sends COMMIT. A warning means that the server stopped waiting for its standby.
  static CommitOutcome commit(Connection connection) {
    try {
      connection.clearWarnings();
      connection.commit();
      SQLWarning warning = connection.getWarnings();
      return warning == null
          ? new CommitOutcome.Done()
          : new CommitOutcome.InDoubt(new SQLException(warning.getMessage(), warning));
    } catch (SQLException e) {
      return PostgresErrors.isInDoubt(e)
          ? new CommitOutcome.InDoubt(e)
          : new CommitOutcome.Failed(e, PostgresErrors.isTransient(e));
    }
  }

  private static void rollback(Connection connection, SQLException cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e); // the server rolls back when it notices that the session is gone
    }
  }

  private static void restore(Connection connection) {
    try {
      if (!connection.isClosed()) {
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      System.getLogger(FencedCommit.class.getName())
          .log(System.Logger.Level.DEBUG, "the connection is broken; the pool will replace it", e);
    }
  }
}
