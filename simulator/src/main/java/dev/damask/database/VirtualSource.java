package dev.damask.database;

import dev.damask.process.VirtualHost;
import dev.damask.process.VirtualProcess;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// The connections of one process to the virtual database, with a pool.
public final class VirtualSource implements DataSource {
  private static final int COMMIT_NANOS = 500_000;

  private final VirtualDatabase database;
  private final VirtualProcess client;
  private final Network network;
  private final Deque<ClientConnection> idle = new ArrayDeque<>();
  private final List<Wire> wires = new ArrayList<>();
  private @Nullable Runnable atLock; // null unless something waits for such a transaction
  private @Nullable Runnable atCommit; // null unless the next COMMIT loses its connection

  VirtualSource(VirtualDatabase database, VirtualProcess client, Network network) {
    this.database = database;
    this.client = client;
    this.network = network;
  }

  @Override
  public Connection getConnection() throws SQLException {
    for (ClientConnection known = idle.poll(); known != null; known = idle.poll()) {
      if (!known.isBroken()) {
        return known.open();
      }
    }
    long trip = network.delay(client) + network.delay(client);
    database.host().awaitUninterruptibly(() -> false, trip);
    long stalled = network.stalledUntil(client);
    database.host().awaitUninterruptibly(() -> false, Math.max(1, stalled - database.nanos()));
    try {
      Wire wire = new Wire(database, client, network);
      wires.removeIf(Wire::isOver);
      wires.add(wire);
      return new ClientConnection(database, wire, this).open();
    } catch (SqlError e) {
      throw new SQLException(e.getMessage(), e.state());
    }
  }

  void release(ClientConnection connection) {
    idle.add(connection);
  }

  /// Breaks the connection of the next COMMIT, somewhere between the request and the answer.
  ///
  /// @param then what happens with it
  public void cutAtCommit(Runnable then) {
    atCommit = then;
  }

  void committing(Wire wire) {
    Runnable then = atCommit;
    if (then != null) {
      atCommit = null;
      VirtualHost host = database.host();
      host.later(
          host.below(COMMIT_NANOS),
          () -> {
            host.note("cut at commit");
            wire.cut(host.below(2) == 0);
            then.run();
          });
    }
  }

  /// Does something when the process next begins a transaction with a shared advisory lock, before
  /// the message is sent.
  public void beforeSharedLock(Runnable then) {
    atLock = then;
  }

  void executing(String text) {
    Runnable then = atLock;
    if (then != null && text.contains("pg_advisory_xact_lock_shared")) {
      atLock = null;
      then.run();
    }
  }

  /// Breaks one of the open connections, or all.
  public void cut(boolean all) {
    List<Wire> open = wires.stream().filter(wire -> !wire.isOver() && !wire.isBroken()).toList();
    if (open.isEmpty()) {
      return;
    }
    if (all) {
      open.forEach(wire -> wire.cut(database.host().below(2) == 0));
    } else {
      open.get(database.host().below(open.size())).cut(database.host().below(2) == 0);
    }
  }

  /// The process was killed: its system closes all connections.
  public void close() {
    wires.stream().filter(wire -> !wire.isOver()).forEach(Wire::close);
    wires.clear();
    idle.clear();
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public void setLogWriter(PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("not a wrapper");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
