package dev.damask.store.postgres;

import dev.damask.effect.EffectTransaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import org.postgresql.PGConnection;

/// A transaction that a handler works in. It holds no lock of its node while the handler runs; a
/// mark lets the node that takes over end it, so that the handler's rows are free again.
final class JoinedTransaction implements EffectTransaction {
  private static final System.Logger LOG = System.getLogger(JoinedTransaction.class.getName());

  private final Connection connection;
  private final GuardedConnection guard;
  private final Identity identity;
  private final IntConsumer terminator;
  private final AtomicBoolean hasEnded = new AtomicBoolean();
  private volatile boolean isAborted; // written by the thread that cancels

  /// What the server calls a transaction.
  ///
  /// @param backend the process that executes it
  record Identity(String transaction, int backend) {}

  /// @param terminator ends a backend whose connection is broken, so that it frees its rows now
  JoinedTransaction(Connection connection, Identity identity, IntConsumer terminator) {
    this.connection = connection;
    this.guard = new GuardedConnection(connection);
    this.identity = identity;
    this.terminator = terminator;
  }

  @Override
  public AutoCloseable connection() {
    return guard.connection();
  }

  /// Returns the connection behind the guard, for the last statements.
  Connection open() {
    return connection;
  }

  /// Throws `SQLException` if a constraint is violated, or if the handler has ended the transaction
  /// with a statement: then the database has a part of it.
  @Override
  public void finish() throws SQLException {
    guard.close();
    try (Statement statement = connection.createStatement()) {
      statement.execute("set constraints all immediate");
      try (ResultSet row = statement.executeQuery("select pg_current_xact_id()::text")) {
        row.next();
        if (!identity.transaction.equals(row.getString(1))) {
          throw new SQLException(
              "the handler has ended the transaction with a statement; the case commits it",
              "2D000");
        }
      }
    }
  }

  @Override
  public void rollback() {
    if (!hasEnded.compareAndSet(false, true)) {
      return;
    }
    guard.close();
    boolean isInterrupted = Thread.interrupted(); // it would break the connection
    try {
      connection.rollback();
    } catch (SQLException e) {
      log(e);
      terminator.accept(identity.backend);
    } finally {
      release();
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// Notes that the transaction was committed or given up, and returns the connection to its pool.
  void ended() {
    if (hasEnded.compareAndSet(false, true)) {
      release();
    }
  }

  private void release() {
    try {
      if (!connection.isClosed()) {
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      log(e);
    }
    try {
      connection.close();
    } catch (SQLException e) {
      log(e);
    }
  }

  private static void log(SQLException e) {
    LOG.log(System.Logger.Level.DEBUG, "a connection of a transaction is broken", e);
  }

  @Override
  public void abort() {
    isAborted = true;
    guard.close();
    try {
      PGConnection physical = connection.unwrap(PGConnection.class);
      physical.cancelQuery();
      if (physical instanceof Connection open) {
        open.abort(Runnable::run); // the server rolls back and frees the rows
      }
    } catch (SQLException e) {
      log(e);
    }
  }

  @Override
  public boolean isLost() {
    try {
      return !isAborted && !hasEnded.get() && !connection.isValid(1);
    } catch (SQLException e) {
      return true;
    }
  }
}
