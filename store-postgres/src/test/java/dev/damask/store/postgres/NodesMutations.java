package dev.damask.store.postgres;

import dev.damask.cluster.PolledMessages;
import dev.damask.process.Interposed;
import dev.damask.sql.NodeState;
import dev.damask.store.AppliedMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.LongSupplier;

/// What some mutants do instead of the right thing.
final class NodesMutations {
  private static final IdentityHashMap<PolledMessages, String> CURSORS = new IdentityHashMap<>();

  private NodesMutations() {}

  /// Takes the lock and checks the fence in one statement, whose snapshot is older than the lock.
  static void fenceAtOnce(NodeLocks locks, Connection connection, int node, long epoch)
      throws SQLException, NodeLocks.FencedException {
    NodeLocks.begin(connection);
    try (PreparedStatement check =
        connection.prepareStatement(
            locks
                .sql()
                .of(
                    "select 1 from (select pg_advisory_xact_lock_shared(?, ?)) as l, @.node n"
                        + " where n.id = ? and n.epoch = ? and not n.fenced"))) {
      check.setInt(1, locks.lockClass());
      check.setInt(2, node);
      check.setInt(3, node);
      check.setLong(4, epoch);
      try (java.sql.ResultSet rows = check.executeQuery()) {
        if (!rows.next()) {
          throw new NodeLocks.FencedException(node, epoch);
        }
      }
    }
  }

  static NodeState oldSlots(NodeState known, NodeState read) {
    return read.epoch() > known.epoch()
        ? new NodeState(read.epoch(), read.ownership(), known.slots())
        : read;
  }

  static LongSupplier wallClock() {
    return () -> Interposed.currentTimeMillis() * 1_000_000;
  }

  /// Returns the messages that were sent later than all that were returned before.
  static List<PolledMessages.Key> afterCursor(
      PolledMessages polled, Collection<PolledMessages.Key> keys) {
    String cursor = CURSORS.getOrDefault(polled, "");
    String last = cursor;
    List<PolledMessages.Key> fresh = new ArrayList<>();
    for (PolledMessages.Key key : keys) {
      String sent = NodesRun.current().sent(key);
      if (sent.compareTo(cursor) > 0) {
        fresh.add(key);
        last = sent.compareTo(last) > 0 ? sent : last;
      }
    }
    CURSORS.put(polled, last);
    return fresh;
  }

  /// Deletes messages in a transaction of their own, before the one that applies them.
  static void deleteElsewhere(Collection<AppliedMessage> applied) throws SQLException {
    try (Connection connection = NodesRun.current().connection();
        PreparedStatement delete =
            connection.prepareStatement(
                "delete from damask.inbox where case_id = ? and message_id = ?")) {
      for (AppliedMessage each : applied) {
        delete.setString(1, each.caseId());
        delete.setString(2, each.messageId());
        delete.executeUpdate();
      }
    }
  }

  static void shuffle(List<?> messages) {
    Collections.rotate(messages, NodesRun.current().host.below(3));
  }
}
