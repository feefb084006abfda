package dev.damask.store.postgres;

import dev.damask.sql.CommitOutcome;
import dev.damask.sql.ReservedConnection;
import dev.damask.store.postgres.FencedCommit.SqlFunction;
import java.sql.Connection;
import java.sql.SQLException;

/// Runs transactions that hold exclusive locks. A session that waits for one longer than a second
/// terminates the registered backends that hold it, so that a node that was paused inside a
/// transaction cannot block its own takeover.
final class ExclusiveTransactions {
  private static final int NO_NODE = 0;
  private static final int ATTEMPTS_MAX = 60;

  private final NodeLocks locks;
  private final ReservedConnection reserved;

  ExclusiveTransactions(NodeLocks locks, ReservedConnection reserved) {
    this.locks = locks;
    this.reserved = reserved;
  }

  /// Work under exclusive locks.
  @FunctionalInterface
  interface Work<T> {
    T apply(Connection connection) throws SQLException, NodeLocks.FencedException;
  }

  /// Runs work under the cluster's lock.
  <T> T cluster(Work<T> work) throws SQLException, NodeLocks.FencedException {
    return run(true, NO_NODE, work);
  }

  /// Runs work under the cluster's lock and then a node's.
  <T> T clusterAndNode(int node, Work<T> work) throws SQLException, NodeLocks.FencedException {
    return run(true, node, work);
  }

  /// Runs work under a node's lock alone.
  <T> T node(int node, Work<T> work) throws SQLException, NodeLocks.FencedException {
    return run(false, node, work);
  }

  /// Reads without a lock.
  synchronized <T> T read(SqlFunction<T> reader) throws SQLException {
    try {
      return reader.apply(reserved.get());
    } catch (SQLException e) {
      reserved.discard();
      throw e;
    }
  }

  private synchronized <T> T run(boolean isCluster, int node, Work<T> work)
      throws SQLException, NodeLocks.FencedException {
    SQLException last = null;
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      Connection connection = reserved.get();
      int[] wanted = {NO_NODE}; // the lock that is waited for
      boolean isDone = false;
      try {
        connection.setAutoCommit(false);
        T result = locked(connection, isCluster, node, wanted, work);
        CommitOutcome outcome = FencedCommit.commit(connection);
        switch (outcome) {
          case CommitOutcome.Done() -> {}
          case CommitOutcome.Failed(var e, _) -> throw e;
          case CommitOutcome.InDoubt(var e) -> throw e;
          case CommitOutcome.Refused() -> throw new IllegalStateException("COMMIT has no fence");
        }
        connection.setAutoCommit(true);
        isDone = true;
        return result;
      } catch (SQLException e) {
        if (!PostgresErrors.LOCK_TIMEOUT.equals(e.getSQLState())) {
          throw e;
        }
        last = e;
        connection.rollback();
        connection.setAutoCommit(true);
        locks.terminateHolders(connection, wanted[0]);
        isDone = true;
      } finally {
        if (!isDone) {
          reserved.discard();
        }
      }
    }
    throw last == null ? new SQLException("no attempt was made") : last;
  }

  private <T> T locked(
      Connection connection, boolean isCluster, int node, int[] wanted, Work<T> work)
      throws SQLException, NodeLocks.FencedException {
    locks.beginExclusive(connection);
    if (isCluster) {
      locks.lockCluster(connection);
    }
    if (node != NO_NODE) {
      wanted[0] = node;
      locks.lockNode(connection, node);
    }
    return work.apply(connection);
  }
}
