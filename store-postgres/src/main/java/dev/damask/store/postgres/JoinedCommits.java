package dev.damask.store.postgres;

import dev.damask.cluster.CommitId;
import dev.damask.cluster.DoubtVerdict;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectTransaction;
import dev.damask.sql.CommitOutcome;
import dev.damask.sql.NodeState;
import dev.damask.sql.SqlText;
import dev.damask.store.CommitBatch;
import dev.damask.store.JoinOutcome;
import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Transactions that a handler begins and a case ends. The handler's statements come first and hold
/// no lock of the node. Fence, receipt and case are the last statements before COMMIT.
final class JoinedCommits {
  private static final System.Logger LOG = System.getLogger(JoinedCommits.class.getName());
  private static final long PAUSE_MIN_MILLIS = 10;
  private static final long PAUSE_MAX_MILLIS = 1_000;

  private static final String BEGIN =
      "set transaction isolation level read committed, read write;"
          + " select set_config('synchronous_commit', 'on', true),"
          + " set_config('idle_in_transaction_session_timeout', ?, true);"
          + " select pg_current_xact_id()::text, pg_backend_pid(),"
          + " pg_advisory_xact_lock_shared(?, ?)";

  private final PostgresNode node;
  private final CommitQueue commits;
  private final RowWriter writer;
  private final SqlText sql;

  JoinedCommits(PostgresNode node, CommitQueue commits, SqlText sql) {
    this.node = node;
    this.commits = commits;
    this.writer = new RowWriter(sql);
    this.sql = sql;
  }

  /// Begins a transaction. Waits while the database is away. Throws [StoreException] if the thread
  /// is interrupted.
  EffectTransaction begin(EffectCall call) {
    long pause = PAUSE_MIN_MILLIS;
    while (true) {
      try {
        return tryBegin(call);
      } catch (SQLException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw PostgresErrors.failure(call + ": its transaction was not begun", e);
        }
        LOG.log(
            System.Logger.Level.WARNING,
            "{0}: its transaction cannot begin at the moment, trying again: {1}",
            call,
            e.toString());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pause));
      pause = Math.min(2 * pause, PAUSE_MAX_MILLIS);
    }
  }

  private EffectTransaction tryBegin(EffectCall call) throws SQLException {
    Connection connection = node.connections().take();
    boolean isBegun = false;
    try {
      connection.setAutoCommit(false);
      try (PreparedStatement begin = connection.prepareStatement(BEGIN)) {
        begin.setString(1, idleLimit(call));
        begin.setInt(2, node.lockClass());
        begin.setInt(3, NodeLocks.markOf(node.id()));
        JoinedTransaction begun =
            new JoinedTransaction(connection, identity(begin), this::terminate);
        isBegun = true;
        return begun;
      }
    } finally {
      if (!isBegun) {
        connection.close();
      }
    }
  }

  /// Ends a transaction whose connection is broken. The server would notice it only after the
  /// statement that it executes.
  private void terminate(int backend) {
    try (Connection connection = node.connections().take()) {
      node.terminateHandler(connection, backend);
    } catch (SQLException e) {
      LOG.log(System.Logger.Level.DEBUG, "a handler''s backend is left to the server", e);
    }
  }

  private static JoinedTransaction.Identity identity(PreparedStatement begin) throws SQLException {
    boolean isRows = begin.execute();
    JoinedTransaction.Identity last = new JoinedTransaction.Identity("", 0);
    while (isRows || begin.getUpdateCount() >= 0) {
      if (isRows) {
        try (ResultSet rows = begin.getResultSet()) {
          boolean isLast = rows.getMetaData().getColumnCount() > 2;
          if (rows.next() && isLast) {
            last = new JoinedTransaction.Identity(rows.getString(1), rows.getInt(2));
          }
        }
      }
      isRows = begin.getMoreResults();
    }
    return last;
  }

  /// How long the handler's transaction may be idle on the server: as long as the effect may take.
  private static String idleLimit(EffectCall call) {
    return call.deadline()
        .map(end -> Math.max(1, Duration.between(Instant.now(), end).toMillis()) + "ms")
        .orElse("0");
  }

  /// Writes a batch as the last statements of a transaction and commits it.
  JoinOutcome commit(CommitBatch batch, EffectTransaction given) {
    JoinedTransaction transaction = (JoinedTransaction) given;
    NodeState state = node.state();
    RowChanges rows;
    CommitOutcome outcome;
    try {
      rows = commits.rowsOf(batch, state);
      outcome = write(transaction.open(), rows, state);
    } catch (StoreException e) {
      transaction.rollback();
      throw e;
    }
    if (outcome instanceof CommitOutcome.Done) {
      transaction.ended();
      return new JoinOutcome.Done();
    }
    transaction.rollback();
    return switch (outcome) {
      case CommitOutcome.Done() -> new JoinOutcome.Done();
      case CommitOutcome.Refused() -> settled(rows, "the node has another epoch");
      case CommitOutcome.InDoubt(var error) -> settled(rows, error.toString());
      case CommitOutcome.Failed(RowWriter.StaleRevision stale, _) -> throw commits.stale(stale);
      case CommitOutcome.Failed(var error, _) ->
          PostgresErrors.isInDoubt(error)
              ? new JoinOutcome.Again(error.toString())
              : new JoinOutcome.Failed(String.valueOf(error.getMessage()));
    };
  }

  private CommitOutcome write(Connection connection, RowChanges rows, NodeState state) {
    try {
      node.fence(connection, state.epoch());
      writer.write(connection, rows);
    } catch (NodeLocks.FencedException e) {
      return new CommitOutcome.Refused();
    } catch (SQLException e) {
      return new CommitOutcome.Failed(e, PostgresErrors.isTransient(e));
    }
    return FencedCommit.commit(connection);
  }

  /// While the node is not fenced, no other process writes the case, and its shard waits for this
  /// commit: so the case's row shows it.
  private Set<CommitId> stored(Connection connection, RowChanges rows) throws SQLException {
    String caseId = rows.heads.keySet().iterator().next();
    try (PreparedStatement query =
        connection.prepareStatement(
            sql.of(
                "select 1 from @.cases where case_id = ? and revision = ?"
                    + " and commit_node = ? and commit_epoch = ? and commit_number = ?"))) {
      query.setString(1, caseId);
      query.setLong(2, rows.record(caseId).revision());
      query.setInt(3, rows.id.node());
      query.setLong(4, rows.id.epoch());
      query.setLong(5, rows.id.number());
      try (ResultSet found = query.executeQuery()) {
        return found.next() ? Set.of(rows.id) : Set.of();
      }
    }
  }

  private JoinOutcome settled(RowChanges rows, String why) {
    try {
      return commits.settle(rows.id, c -> stored(c, rows)) == DoubtVerdict.ACKNOWLEDGE
          ? new JoinOutcome.Done()
          : new JoinOutcome.Again(why);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("a commit in doubt was not settled: the thread was interrupted", e);
    }
  }
}
