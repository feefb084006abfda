package dev.damask.sql;

import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Set;
import java.util.UUID;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/// Takes connections from the user's pool. Each physical connection is checked and registered when
/// the pool returns it for the first time: after a failover a pool may hand out a connection to a
/// standby, on which advisory locks and the fence succeed.
///
/// Thread-safe.
public final class NodeConnections {
  /// How many sessions that have ended are passed over at once.
  private static final int POOLED_MAX = 100;

  private static final String CHECK =
      "select pg_is_in_recovery(), current_setting('server_encoding'), current_user,"
          + " (select id from @.cluster)";

  // A backend dies with the server, so its row need not survive a crash. A commit that waits for a
  // standby that is away would stop a heartbeat whose connection is replaced.
  private static final String NO_SYNC =
      " and set_config('synchronous_commit', 'off', true) is not null";
  private static final String REGISTER =
      "insert into @.backend (pid, started, node)"
          + " select a.pid, a.backend_start, ? from pg_stat_activity a"
          + " where a.pid = pg_backend_pid()"
          + NO_SYNC
          + " on conflict (pid, started) do update set node = excluded.node";
  private static final String FORGET_CLOSED =
      "delete from @.backend b where b.node = ? and not exists (select 1 from pg_stat_activity a"
          + " where a.pid = b.pid and a.backend_start = b.started)"
          + NO_SYNC;

  private final DataSource source;
  private final SqlText sql;
  private final ClusterIdentity cluster;
  private final String role;
  private final int node;

  /// The sessions that were checked, and have not become suspect since.
  private final Set<PGConnection> known =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  /// @param role the role that all connections must have, so that nodes can terminate each other's
  ///   backends
  public NodeConnections(
      DataSource source, SqlText sql, ClusterIdentity cluster, String role, int node) {
    this.source = source;
    this.sql = sql;
    this.cluster = cluster;
    this.role = role;
    this.node = node;
  }

  /// Returns a connection in auto-commit mode; the caller closes it. Sessions of the pool that have
  /// ended are passed over, for example after a restart of the server.
  public Connection take() throws SQLException {
    for (int left = POOLED_MAX; ; left--) {
      Connection connection = source.getConnection();
      boolean isReady = false;
      try {
        PGConnection physical = connection.unwrap(PGConnection.class);
        connection.setAutoCommit(true);
        if (!known.contains(physical)) {
          check(connection);
          if (node > 0) {
            register(connection); // a client holds no lock that a taker would wait for
          }
          known.add(physical);
        }
        isReady = true;
        return connection;
      } catch (SQLException e) {
        if (!isGone(e) || left == 0) {
          throw e;
        }
        known.clear();
      } finally {
        if (!isReady) {
          discard(connection);
        }
      }
    }
  }

  /// Returns whether an error means that the session has ended.
  public static boolean isGone(SQLException e) {
    String state = e.getSQLState();
    return state != null && (state.startsWith("08") || state.startsWith("57P0"));
  }

  /// A session has ended, and others of the pool may have ended with it: each is checked again
  /// before it is used.
  public void suspect() {
    known.clear();
  }

  /// Ends a session that failed.
  void lost(Connection connection) {
    suspect();
    discard(connection);
  }

  /// Ends the session, so that the pool does not hand out the same one again.
  private static void discard(Connection connection) {
    try (connection) {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      System.getLogger(NodeConnections.class.getName())
          .log(System.Logger.Level.DEBUG, "a connection could not be closed", e);
    }
  }

  private void check(Connection connection) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(sql.of(CHECK));
        ResultSet row = query.executeQuery()) {
      row.next();
      if (row.getBoolean(1)) {
        // The pool still knows a former primary; a later connection may reach the new one.
        throw new SQLException("the connection leads to a read-only standby", "25006");
      }
      if (!row.getString(2).equals("UTF8")) {
        throw new StoreException("a connection leads to a database without encoding UTF8");
      }
      if (!row.getString(3).equals(role)) {
        throw new StoreException(
            "a connection has role %s, the node joined with role %s; use one role for all nodes"
                .formatted(row.getString(3), role));
      }
      if (!cluster.id().equals(row.getObject(4, UUID.class))) {
        throw new StoreException(
            "a connection leads to cluster %s, the node joined cluster %s; check the pool's URL"
                .formatted(row.getString(4), cluster.id()));
      }
    }
  }

  private void register(Connection connection) throws SQLException {
    for (String statement : new String[] {FORGET_CLOSED, REGISTER}) {
      try (PreparedStatement update = connection.prepareStatement(sql.of(statement))) {
        update.setInt(1, node);
        update.executeUpdate();
      }
    }
  }
}
