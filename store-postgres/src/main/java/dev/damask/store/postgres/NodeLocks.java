package dev.damask.store.postgres;

import dev.damask.sql.SqlText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/// The advisory locks of a cluster and the fence.
///
/// The lock `(class, 0)` is the cluster's: every change of ownership holds it. The lock `(class,
/// node)` is the node's: each of its commits holds it shared, and a transaction that changes its
/// epoch or fences it holds it exclusively.
///
/// @param lockClass the class that was drawn when the schema was created
record NodeLocks(SqlText sql, int lockClass) {
  /// Returns the second key of the lock that marks transactions of a node's handlers. No session
  /// waits for it; it shows which backends a taker may terminate.
  static int markOf(int node) {
    return -node;
  }

  /// Begins a transaction. The level is set here because the pool's default may be stronger: at
  /// REPEATABLE READ the snapshot is older than the lock, and the fence passes after a takeover.
  static void begin(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "set transaction isolation level read committed, read write;"
              + " select set_config('synchronous_commit', 'on', true)");
    }
  }

  private static final String FENCE =
      "set transaction isolation level read committed, read write;"
          + " select set_config('idle_in_transaction_session_timeout', '1s', true),"
          + " set_config('synchronous_commit', 'on', true),"
          // A timeout during COMMIT would end the wait for the standby and report success.
          + " set_config('statement_timeout', '0', true),"
          + " pg_advisory_xact_lock_shared(?, ?);";

  private static final String CHECK =
      " select 1 from @.node where id = ? and epoch = ? and not fenced";

  private static final String MARK = " update @.last_commit set number = ? where node = ?;";

  /// Begins a commit transaction of a node. Returns when the node's lock is held and the node has
  /// this epoch and is not fenced; a takeover then waits for the end of the transaction.
  ///
  /// The driver sends all statements in one round trip; the server gives each its own snapshot, so
  /// the check sees what was committed before the lock was granted.
  ///
  /// @param number the number of the commit, which is noted with it; 0 to note nothing
  void fence(Connection connection, int node, long epoch, long number)
      throws SQLException, FencedException {
    String text = FENCE + (number == 0 ? "" : MARK) + CHECK;
    try (PreparedStatement statement = connection.prepareStatement(sql.of(text))) {
      int at = 1;
      statement.setInt(at++, lockClass);
      statement.setInt(at++, node);
      if (number != 0) {
        statement.setLong(at++, number);
        statement.setInt(at++, node);
      }
      statement.setInt(at++, node);
      statement.setLong(at, epoch);
      if (!hasRow(statement)) {
        throw new FencedException(node, epoch);
      }
    }
  }

  /// Executes several statements and returns whether the last one returned a row.
  private static boolean hasRow(PreparedStatement statement) throws SQLException {
    boolean isRows = statement.execute();
    boolean hasRow = false;
    while (isRows || statement.getUpdateCount() >= 0) {
      if (isRows) {
        try (ResultSet rows = statement.getResultSet()) {
          hasRow = rows.next();
        }
      }
      isRows = statement.getMoreResults();
    }
    return hasRow;
  }

  private static final String EXCLUSIVE =
      "set transaction isolation level read committed, read write;"
          + " select set_config('idle_in_transaction_session_timeout', '1s', true),"
          + " set_config('synchronous_commit', 'on', true),"
          + " set_config('statement_timeout', '0', true),"
          + " set_config('lock_timeout', '1s', true)";

  /// Begins a transaction that waits for exclusive locks at most a second each.
  void beginExclusive(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(EXCLUSIVE);
    }
  }

  /// Takes the cluster's lock. Fails with SQLState 55P03 after a second.
  void lockCluster(Connection connection) throws SQLException {
    try (PreparedStatement lock =
        connection.prepareStatement("select pg_advisory_xact_lock(?, 0)")) {
      lock.setInt(1, lockClass);
      lock.execute();
    }
  }

  /// Takes a node's lock exclusively. Fails with SQLState 55P03 after a second.
  void lockNode(Connection connection, int node) throws SQLException {
    try (PreparedStatement lock =
        connection.prepareStatement("select pg_advisory_xact_lock(?, ?)")) {
      lock.setInt(1, lockClass);
      lock.setInt(2, node);
      lock.execute();
    }
  }

  /// Stands for every backend.
  static final int ALL = 0;

  private static final String REGISTERED =
      " join @.backend b on b.pid = l.pid"
          + " join pg_stat_activity a on a.pid = l.pid and a.backend_start = b.started";
  private static final String ANY = " join pg_stat_activity a on a.pid = l.pid";

  private static final String TERMINATE =
      "select pg_terminate_backend(l.pid) from pg_locks l"
          + REGISTERED
          + " where l.locktype = 'advisory' and l.objsubid = 2 and l.granted"
          + " and l.database = (select oid from pg_database where datname = current_database())"
          + " and l.classid = ?::int8::oid and l.objid = (?::int8 & 4294967295)::oid"
          + " and l.pid <> pg_backend_pid()"
          // Terminating it would show a commit that no standby has.
          + " and a.wait_event is distinct from 'SyncRep'"
          + " and not (a.state = 'active' and a.query ilike 'commit%')"
          + " and (? = 0 or l.pid = ?)";

  /// Terminates the registered backends that hold a lock, except those that are committing. Returns
  /// how many it terminated.
  ///
  /// @param node the second key of the lock; 0 for the cluster's lock
  int terminateHolders(Connection connection, int node) throws SQLException {
    return terminate(connection, TERMINATE, node, ALL);
  }

  /// Terminates the backends that execute transactions of a node's handlers. The mark identifies
  /// them, so they no longer need to be registered.
  ///
  /// @param backend only this one; [#ALL] for all
  int terminateHandlers(Connection connection, int node, int backend) throws SQLException {
    return terminate(connection, TERMINATE.replace(REGISTERED, ANY), markOf(node), backend);
  }

  private int terminate(Connection connection, String statement, int node, int backend)
      throws SQLException {
    try (PreparedStatement terminate = connection.prepareStatement(sql.of(statement))) {
      terminate.setInt(1, lockClass);
      terminate.setInt(2, node);
      terminate.setInt(3, backend);
      terminate.setInt(4, backend);
      int count = 0;
      try (ResultSet rows = terminate.executeQuery()) {
        while (rows.next()) {
          count += rows.getBoolean(1) ? 1 : 0;
        }
      }
      return count;
    }
  }

  /// The fence refused a transaction: its node was fenced, or the transaction carries an old epoch.
  /// Nothing of the transaction has happened or can still happen.
  static final class FencedException extends Exception {
    private static final long serialVersionUID = 1L;

    FencedException(int node, long epoch) {
      super("node %d has been fenced or has left epoch %d".formatted(node, epoch));
    }
  }
}
