package dev.damask.store.postgres;

import dev.damask.cluster.CommitId;
import dev.damask.sql.CommitOutcome;
import dev.damask.sql.NodeConnections;
import dev.damask.sql.SqlText;
import dev.damask.store.RowChange;
import dev.damask.store.RowChangedException;
import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Changes of rows that every node may change: schedules and the registry. A lock of the row's name
/// serialises them, also while there is no row yet. They need no fence: they belong to no slot.
final class RowReplacement {
  private static final long PAUSE_MILLIS = 50;

  private final NodeConnections connections;
  private final SqlText sql;
  private final Duration patience;
  private final BooleanSupplier isOpen;

  /// @param patience how long it waits while the database is away
  RowReplacement(
      NodeConnections connections, SqlText sql, Duration patience, BooleanSupplier isOpen) {
    this.connections = connections;
    this.sql = sql;
    this.patience = patience;
    this.isOpen = isOpen;
  }

  /// The row that is compared.
  record Name(String kind, String key, long version) {}

  /// Writes changes if a row is as expected. Waits for a time while the database is away, and then
  /// throws `IllegalStateException`. Throws [RowChangedException] if the row is another one.
  void run(Name name, Optional<TableRow> expected, List<RowChange> changes) {
    RowChanges rows = new RowChanges(new CommitId(0, 0, 0));
    rows.addRows(changes);
    boolean isInDoubt = false;
    long since = System.nanoTime();
    while (true) {
      boolean[] isEqual = {true};
      CommitOutcome outcome = attempt(name, expected, rows, isEqual);
      boolean isRefused = !isEqual[0];
      if (isRefused && !(isInDoubt && isWritten(name, changes))) {
        throw new RowChangedException(
            "%s %s: another node has changed it; read it again".formatted(name.kind(), name.key()));
      }
      if (isRefused || outcome instanceof CommitOutcome.Done) {
        return;
      }
      if (outcome instanceof CommitOutcome.Failed(var error, var isTransient) && !isTransient) {
        throw PostgresErrors.failure("schema " + sql.schema() + ": cannot write", error);
      }
      isInDoubt |= outcome instanceof CommitOutcome.InDoubt;
      if (!isOpen.getAsBoolean()) {
        throw new StoreException("the store was closed while the database was away");
      }
      if (System.nanoTime() - since >= patience.toNanos()) {
        throw new IllegalStateException(
            "%s %s: the change cannot be stored at the moment; %s"
                .formatted(
                    name.kind(),
                    name.key(),
                    isInDoubt ? "it may have been stored, read it again" : "try again"));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
    }
  }

  private CommitOutcome attempt(
      Name name, Optional<TableRow> expected, RowChanges rows, boolean[] isEqual) {
    CommitOutcome outcome = null; // until COMMIT was sent
    try (Connection connection = connections.take()) {
      connection.setAutoCommit(false);
      try {
        NodeLocks.begin(connection);
        lock(connection, name);
        isEqual[0] = PostgresTable.find(connection, sql, name).equals(expected);
        if (isEqual[0]) {
          PostgresTable.write(connection, sql, rows.tableRows.values());
        }
        outcome = FencedCommit.commit(connection);
      } finally {
        connection.rollback();
        connection.setAutoCommit(true);
      }
      return outcome;
    } catch (SQLException e) {
      // A connection that breaks during COMMIT refuses what comes after it, too.
      return outcome == null ? new CommitOutcome.Failed(e, PostgresErrors.isTransient(e)) : outcome;
    }
  }

  /// After a commit in doubt: whether the row is as this change would have left it.
  private boolean isWritten(Name name, List<RowChange> changes) {
    Optional<TableRow> after =
        changes.stream()
            .filter(each -> each instanceof RowChange.Put)
            .map(RowChange::row)
            .filter(row -> row.kind().equals(name.kind()) && row.key().equals(name.key()))
            .findFirst();
    try (Connection connection = connections.take()) {
      return PostgresTable.find(connection, sql, name).equals(after);
    } catch (SQLException e) {
      return false;
    }
  }

  private void lock(Connection connection, Name name) throws SQLException {
    try (PreparedStatement lock =
        connection.prepareStatement(
            "select set_config('idle_in_transaction_session_timeout', '1s', true),"
                + " pg_advisory_xact_lock(hashtextextended(?, 0))")) {
      lock.setString(1, "damask row " + sql.schema() + " " + name.kind() + " " + name.key());
      try (ResultSet row = lock.executeQuery()) {
        row.next();
      }
    }
  }
}
