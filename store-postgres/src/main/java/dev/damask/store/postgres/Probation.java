package dev.damask.store.postgres;

import dev.damask.sql.NodeConnections;
import dev.damask.sql.ReservedConnection;
import dev.damask.sql.SqlText;
import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/// The case that each shard executes, in table `probation`, for a while after an engine died.
///
/// A record costs a round trip before and after each move, so an engine that follows one that was
/// closed writes none. A case that kills its process is therefore not known at the first death; it
/// is at each further one. The server does not wait for its disk: a record must survive the death
/// of this process only.
///
/// Thread-safe. Shards write their own records.
final class Probation implements AutoCloseable {
  static final Duration TIME = Duration.ofMinutes(10);

  private static final String NO_SYNC = "set_config('synchronous_commit', 'off', true) is not null";

  private final ReservedConnection reserved;
  private final SqlText sql;
  private final int node;
  private final LongSupplier nanoTime;
  private final long end;
  private final List<String> found;

  // Written under this, read by any shard: once false it stays false.
  private volatile boolean isOn;

  /// Reads and removes the records of nodes that are dead.
  ///
  /// @param isOn whether an engine died before this one was opened
  Probation(PostgresNode node, SqlText sql, LongSupplier nanoTime, boolean isOn)
      throws SQLException {
    this.reserved = new ReservedConnection(node.connections());
    this.sql = sql;
    this.node = node.id();
    this.nanoTime = nanoTime;
    this.end = nanoTime.getAsLong() + TIME.toNanos();
    this.isOn = isOn;
    this.found = take(node.connections());
  }

  private List<String> take(NodeConnections connections) throws SQLException {
    List<String> taken = new ArrayList<>();
    try (Connection connection = connections.take();
        PreparedStatement delete =
            connection.prepareStatement(
                sql.of(
                    "delete from @.probation p where not exists (select 1 from @.node n"
                        + " where n.id = p.node and not n.fenced) returning p.case_id"));
        ResultSet rows = delete.executeQuery()) {
      while (rows.next()) {
        if (!rows.getString(1).isEmpty()) {
          taken.add(rows.getString(1));
        }
      }
    }
    return taken;
  }

  /// Returns the cases that a dead engine was executing.
  List<String> found() {
    return List.copyOf(found);
  }

  /// Records the case of a shard; empty for none.
  void set(int shard, String caseId) {
    if (isOn) {
      write(shard, caseId);
    }
  }

  private synchronized void write(int shard, String caseId) {
    if (!isOn) {
      return;
    }
    boolean isOver = nanoTime.getAsLong() - end >= 0;
    try {
      if (isOver) {
        removeAll();
      } else {
        put(shard, caseId);
      }
    } catch (SQLException | StoreException e) {
      // The case moves without a record: its next commit waits for the database anyway.
      System.getLogger(Probation.class.getName())
          .log(System.Logger.Level.WARNING, "node " + node + ": no record of a moving case: " + e);
      reserved.discard();
      isOver = false; // records that cannot be removed would blame a case
    }
    if (isOver) {
      close();
    }
  }

  /// A fenced node writes nothing: its cases belong to another node, which they have not killed.
  private void put(int shard, String caseId) throws SQLException {
    try (PreparedStatement put =
        reserved
            .get()
            .prepareStatement(
                sql.of(
                    "insert into @.probation (node, shard, case_id) select n.id, ?, ?"
                        + " from @.node n where n.id = ? and not n.fenced and "
                        + NO_SYNC
                        + " on conflict (node, shard) do update set case_id = excluded.case_id"))) {
      put.setInt(1, shard);
      put.setString(2, caseId);
      put.setInt(3, node);
      put.executeUpdate();
    }
  }

  private void removeAll() throws SQLException {
    try (PreparedStatement remove =
        reserved.get().prepareStatement(sql.of("delete from @.probation where node = ?"))) {
      remove.setInt(1, node);
      remove.executeUpdate();
    }
  }

  /// Stops recording. Records of shards that still execute a case stay.
  @Override
  public synchronized void close() {
    isOn = false;
    reserved.close();
  }
}
