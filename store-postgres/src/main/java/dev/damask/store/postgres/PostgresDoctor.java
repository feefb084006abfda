package dev.damask.store.postgres;

import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/// Tests a server for the guarantees that a cluster needs. It writes nothing: it uses settings and
/// advisory locks of a random class only.
public final class PostgresDoctor {
  /// The result of one check.
  ///
  /// @param problem empty if the server passed
  public record Finding(String check, String problem) {
    /// Returns whether the server passed this check.
    public boolean isPassed() {
      return problem.isEmpty();
    }
  }

  private final DataSource source;
  private final PostgresOptions options;
  private final int lockClass = new java.security.SecureRandom().nextInt(1, Integer.MAX_VALUE);

  public PostgresDoctor(DataSource source, PostgresOptions options) {
    this.source = source;
    this.options = options;
  }

  /// One check; returns what is wrong, or nothing.
  private interface Check {
    String run(Connection one, Connection other) throws SQLException;
  }

  /// Runs all checks, also after one has failed.
  public List<Finding> run() {
    List<Finding> findings = new ArrayList<>();
    add(findings, "version, encoding, role and durability", (one, _) -> server(one));
    add(findings, "connections are sessions", (_, _) -> sessions());
    add(findings, "exclusive advisory locks wait for shared ones", this::locksWait);
    add(findings, "READ COMMITTED can be set per transaction", PostgresDoctor::isolation);
    add(findings, "local settings end with the transaction", (one, _) -> settings(one));
    add(findings, "a role can terminate its own sessions", this::terminates);
    add(findings, "an idle transaction is ended by its timeout", this::idle);
    return findings;
  }

  private void add(List<Finding> findings, String name, Check check) {
    String problem;
    try (Connection one = source.getConnection();
        Connection other = source.getConnection()) {
      one.setAutoCommit(true);
      other.setAutoCommit(true);
      problem = check.run(one, other);
    } catch (SQLException | StoreException e) {
      problem = String.valueOf(e.getMessage());
    }
    findings.add(new Finding(name, problem));
  }

  private String server(Connection connection) throws SQLException {
    ServerCheck.require(connection, options);
    return "";
  }

  private String sessions() throws SQLException {
    ServerCheck.requireSessions(source);
    return "";
  }

  private String locksWait(Connection one, Connection other) throws SQLException {
    one.setAutoCommit(false);
    query(one, "select pg_advisory_xact_lock_shared(%d, 1)".formatted(lockClass));
    return canLock(other) ? "an exclusive lock was granted while a shared one was held" : "";
  }

  /// Returns whether the exclusive lock is granted within 100 ms.
  private boolean canLock(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try {
      query(connection, "select set_config('lock_timeout', '100ms', true)");
      query(connection, "select pg_advisory_xact_lock(%d, 1)".formatted(lockClass));
      return true;
    } catch (SQLException e) {
      if (PostgresErrors.LOCK_TIMEOUT.equals(e.getSQLState())) {
        return false;
      }
      throw e;
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private static String isolation(Connection one, Connection other) throws SQLException {
    one.setAutoCommit(false);
    NodeLocks.begin(one);
    String level = query(one, "select current_setting('transaction_isolation')");
    String before = query(one, "select pg_snapshot_xmax(pg_current_snapshot())");
    query(other, "select pg_current_xact_id()");
    String after = query(one, "select pg_snapshot_xmax(pg_current_snapshot())");
    one.rollback();
    if (!level.equals("read committed")) {
      return "the transaction has level " + level;
    }
    return before.equals(after) ? "two statements of a transaction share a snapshot" : "";
  }

  private static String settings(Connection one) throws SQLException {
    String before = query(one, "select current_setting('lock_timeout')");
    one.setAutoCommit(false);
    query(one, "select set_config('lock_timeout', '47s', true)");
    String inside = query(one, "select current_setting('lock_timeout')");
    one.commit();
    String after = query(one, "select current_setting('lock_timeout')");
    one.rollback();
    if (!inside.equals("47s")) {
      return "a local setting has no effect";
    }
    return after.equals(before) ? "" : "a local setting stays after the transaction";
  }

  private String terminates(Connection one, Connection other) throws SQLException {
    String pid = query(one, "select pg_backend_pid()");
    one.setAutoCommit(false);
    query(one, "select pg_advisory_xact_lock(%d, 1)".formatted(lockClass));
    query(other, "select pg_terminate_backend(" + pid + ", 2000)");
    return canLock(other) ? "" : "a terminated session keeps its lock";
  }

  private String idle(Connection one, Connection other) throws SQLException {
    one.setAutoCommit(false);
    query(
        one,
        "select set_config('idle_in_transaction_session_timeout', '100ms', true),"
            + " pg_advisory_xact_lock(%d, 1)".formatted(lockClass));
    for (int attempt = 0; attempt < 20; attempt++) {
      if (canLock(other)) {
        return "";
      }
    }
    return "an idle transaction keeps its lock";
  }

  private static String query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }
}
