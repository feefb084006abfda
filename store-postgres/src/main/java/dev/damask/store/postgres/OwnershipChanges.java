package dev.damask.store.postgres;

import dev.damask.cluster.SlotPlan;
import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Set;

/// The statements that change who owns what. Each method runs inside a transaction that holds the
/// cluster's lock and the lock of every node whose epoch or fence it changes.
final class OwnershipChanges {
  private final SqlText sql;

  OwnershipChanges(SqlText sql) {
    this.sql = sql;
  }

  /// Adds a node and gives it slots that have no owner. Returns its id.
  int join(Connection connection, String address, String role) throws SQLException {
    Roster roster = Roster.read(connection, sql);
    for (Roster.Member member : roster.nodes().values()) {
      if (!member.isFenced() && !member.role().equals(role)) {
        throw new StoreException(
            "node %d uses role %s, this node role %s; use one role for all nodes"
                .formatted(member.id(), member.role(), role));
      }
    }
    int id;
    try (PreparedStatement update =
            connection.prepareStatement(
                sql.of(
                    "update @.cluster set last_node = last_node + 1, last_epoch = 1 + greatest("
                        + "last_epoch, (select max(epoch) from @.node))"
                        + " returning last_node, last_epoch"));
        ResultSet row = update.executeQuery()) {
      row.next();
      id = row.getInt(1);
      try (PreparedStatement insert =
          connection.prepareStatement(
              sql.of(
                  "with added as (insert into @.node (id, epoch, address, role)"
                      + " values (?, ?, ?, ?) returning id)"
                      + " insert into @.heartbeat (node, counter) select id, 0 from added"))) {
        insert.setInt(1, id);
        insert.setLong(2, row.getLong(2));
        insert.setString(3, address);
        insert.setString(4, role);
        insert.executeUpdate();
      }
    }
    Set<Integer> living = roster.living();
    living.add(id);
    roster.write(connection, sql, SlotPlan.adopt(living, roster.owners()));
    return id;
  }

  /// Fences a node that looks dead and gives every slot without a living owner to living nodes.
  /// Returns false if the node is alive after all.
  ///
  /// @param taker the node that decides; refused if it was fenced itself
  /// @param counter the counter that the taker saw for a whole lease
  boolean takeOver(Connection connection, int taker, int dead, long counter)
      throws SQLException, NodeLocks.FencedException {
    Roster roster = Roster.read(connection, sql);
    requireUnfenced(roster, taker);
    Roster.Member member = roster.node(dead);
    if (member != null && !member.isFenced()) {
      if (member.counter() != counter) {
        return false;
      }
      update(connection, "update @.node set fenced = true where id = ?", dead);
      update(connection, "delete from @.heartbeat where node = ?", dead);
      update(connection, "delete from @.backend where node = ?", dead);
    }
    Set<Integer> living = roster.living();
    living.remove(dead);
    roster.write(connection, sql, SlotPlan.adopt(living, roster.owners()));
    return true;
  }

  /// Gives every slot whose owner is fenced or gone to living nodes.
  void adopt(Connection connection, int taker) throws SQLException, NodeLocks.FencedException {
    Roster roster = Roster.read(connection, sql);
    requireUnfenced(roster, taker);
    int[] planned = SlotPlan.adopt(roster.living(), roster.owners());
    if (!Arrays.equals(planned, roster.owners())) {
      roster.write(connection, sql, planned);
    }
  }

  /// Gives away the slots that a balanced division takes from a node, and raises its epoch so that
  /// a commit of its own that is still travelling cannot land later. Returns false if there is
  /// nothing to give.
  ///
  /// @param released the slots whose batches the giver has finished; the others stay
  boolean handOver(Connection connection, int giver, BitSet released)
      throws SQLException, NodeLocks.FencedException {
    Roster roster = Roster.read(connection, sql);
    requireUnfenced(roster, giver);
    int[] planned = SlotPlan.give(giver, roster.living(), roster.owners());
    for (int slot = 0; slot < planned.length; slot++) {
      if (roster.owners()[slot] == giver && !released.get(slot)) {
        planned[slot] = giver;
      }
    }
    if (Arrays.equals(planned, roster.owners())) {
      return false;
    }
    raiseEpoch(connection, giver);
    roster.write(connection, sql, planned);
    return true;
  }

  /// Gives away all slots of a node and removes the node. Its commits are refused from then on.
  void leave(Connection connection, int giver) throws SQLException {
    Roster roster = Roster.read(connection, sql);
    Roster.Member member = roster.node(giver);
    if (member == null || member.isFenced()) {
      return;
    }
    update(
        connection,
        "update @.cluster set last_epoch = greatest(last_epoch,"
            + " (select epoch from @.node where id = ?))",
        giver);
    update(connection, "delete from @.node where id = ?", giver);
    update(connection, "delete from @.heartbeat where node = ?", giver);
    update(connection, "delete from @.backend where node = ?", giver);
    Set<Integer> living = roster.living();
    living.remove(giver);
    // Only its own slots move: no other node loses a slot without its own doing.
    roster.write(connection, sql, SlotPlan.give(giver, living, roster.owners()));
  }

  /// Raises a node's epoch. Returns false if the node was fenced or is gone.
  boolean raiseEpoch(Connection connection, int node) throws SQLException {
    return update(
            connection, "update @.node set epoch = epoch + 1 where id = ? and not fenced", node)
        == 1;
  }

  private static void requireUnfenced(Roster roster, int node) throws NodeLocks.FencedException {
    Roster.Member self = roster.node(node);
    if (self == null || self.isFenced()) {
      throw new NodeLocks.FencedException(node, self == null ? 0 : self.epoch());
    }
  }

  private int update(Connection connection, String statement, int node) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql.of(statement))) {
      update.setInt(1, node);
      return update.executeUpdate();
    }
  }
}
