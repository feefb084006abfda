package dev.damask.store.postgres;

import dev.damask.cluster.SlotPlan;
import dev.damask.sql.Roster;
import dev.damask.sql.SqlText;
import dev.damask.sql.SuspectRows;
import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/// The statements that change who owns what. Each method runs inside a transaction that holds the
/// cluster's lock and the lock of every node whose epoch or fence it changes.
final class OwnershipChanges {
  private static final String OLD =
      "n.fenced and n.fenced_at < clock_timestamp() - interval '1 day'"
          + " and not exists (select 1 from @.slot s where s.owner = n.id)";

  private final SqlText sql;

  private final SuspectRows suspects;

  OwnershipChanges(SqlText sql) {
    this.sql = sql;
    this.suspects = new SuspectRows(sql);
  }

  /// Adds a node and assigns it slots that have no owner. Returns its id. Throws [StoreException]
  /// if the node cannot read what the other nodes may write.
  ///
  /// @param version the newest version of the schema that the node supports
  int join(Connection connection, String address, String role, int version) throws SQLException {
    forgetFenced(connection);
    // Under the cluster's lock: an upgrade may have been finished since the node was checked.
    PostgresSchema.require(connection, sql, version, version);
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
                  "with added as (insert into @.node (id, epoch, address, role, version)"
                      + " values (?, ?, ?, ?, ?) returning id)"
                      + ", marked as (insert into @.last_commit (node, number)"
                      + " select id, 0 from added)"
                      + " insert into @.heartbeat (node, counter) select id, 0 from added"))) {
        insert.setInt(1, id);
        insert.setLong(2, row.getLong(2));
        insert.setString(3, address);
        insert.setString(4, role);
        insert.setInt(5, version);
        insert.executeUpdate();
      }
    }
    roster.write(connection, sql, SlotPlan.adopt(roster.living().with(id), roster.owners()));
    return id;
  }

  /// Fences a node that looks dead and assigns every slot without a living owner to living nodes.
  /// Returns false if the node is alive after all.
  ///
  /// @param taker the node that decides; refused if it was fenced itself
  /// @param counter the counter that the taker saw for a whole lease
  /// @param nowMillis the database's time: a case that is due may have killed the node
  boolean takeOver(Connection connection, int taker, int dead, long counter, long nowMillis)
      throws SQLException, NodeLocks.FencedException {
    Roster roster = Roster.read(connection, sql);
    requireUnfenced(roster, taker);
    Roster.Member member = roster.node(dead);
    if (member != null && !member.isFenced()) {
      if (member.counter() != counter) {
        return false;
      }
      fence(connection, dead);
    }
    distribute(connection, roster, dead, nowMillis);
    return true;
  }

  /// Fences a node whose engine has stopped, as if it had died, and gives its slots to the others.
  void surrender(Connection connection, int node, long nowMillis)
      throws SQLException, NodeLocks.FencedException {
    Roster roster = Roster.read(connection, sql);
    requireUnfenced(roster, node);
    fence(connection, node);
    distribute(connection, roster, node, nowMillis);
  }

  private void fence(Connection connection, int dead) throws SQLException {
    update(
        connection,
        "update @.node set fenced = true, fenced_at = clock_timestamp() where id = ?",
        dead);
    update(connection, "delete from @.node_programs where node = ?", dead);
    update(connection, "delete from @.heartbeat where node = ?", dead);
    update(connection, "delete from @.backend where node = ?", dead);
    update(connection, "delete from @.permits where node = ?", dead);
  }

  private void distribute(Connection connection, Roster roster, int dead, long nowMillis)
      throws SQLException {
    BitSet slots = roster.slotsOf(dead);
    if (!slots.isEmpty()) {
      suspects.died(connection, dead, slots, nowMillis);
    }
    roster.write(connection, sql, SlotPlan.adopt(roster.living().without(dead), roster.owners()));
  }

  /// Gives every slot whose owner is fenced or gone to living nodes. Returns whether there were
  /// any.
  boolean adopt(Connection connection, int taker) throws SQLException, NodeLocks.FencedException {
    Roster roster = Roster.read(connection, sql);
    requireUnfenced(roster, taker);
    int[] planned = SlotPlan.adopt(roster.living(), roster.owners());
    boolean isChanged = !Arrays.equals(planned, roster.owners());
    if (isChanged) {
      roster.write(connection, sql, planned);
    }
    return isChanged;
  }

  /// Gives away the slots that a balanced division takes from a node, and raises its epoch so that
  /// its own commit that is still travelling cannot land later. Returns false if there is nothing
  /// to give.
  ///
  /// @param released the slots whose batches the giver has finished; the others stay
  boolean handOver(Connection connection, int giver, BitSet released)
      throws SQLException, NodeLocks.FencedException {
    Roster roster = Roster.read(connection, sql);
    requireUnfenced(roster, giver);
    if (roster.living().takers().isEmpty()) {
      return false; // all nodes leave: each keeps its slots until it is gone
    }
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

  /// Marks a node as leaving if another one may own slots. Returns whether there is one.
  boolean markLeaving(Connection connection, int node)
      throws SQLException, NodeLocks.FencedException {
    Roster roster = Roster.read(connection, sql);
    requireUnfenced(roster, node);
    boolean hasOthers = !roster.living().without(node).takers().isEmpty();
    if (hasOthers) {
      update(connection, "update @.node set leaving = true where id = ?", node);
    }
    return hasOthers;
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
    update(connection, "delete from @.last_commit where node = ?", giver);
    update(connection, "delete from @.node_programs where node = ?", giver);
    suspects.left(connection, giver);
    update(connection, "delete from @.permits where node = ?", giver);
    update(connection, "delete from @.backend where node = ?", giver);
    // Only its own slots move: no other node loses a slot without its own doing.
    roster.write(
        connection, sql, SlotPlan.give(giver, roster.living().without(giver), roster.owners()));
  }

  private static final List<String> FORGET =
      List.of(
          "update @.node set fenced_at = clock_timestamp() where fenced and fenced_at is null",
          "update @.cluster set last_epoch = greatest(last_epoch, (select max(epoch) from @.node))",
          "delete from @.last_commit l using @.node n where l.node = n.id and " + OLD,
          // A node that was fenced meanwhile may have shown them.
          "delete from @.node_programs where node not in"
              + " (select n.id from @.node n where not n.fenced)",
          "delete from @.node n where " + OLD);

  /// Removes the nodes that were fenced more than a day ago and own nothing. A process that comes
  /// back later is refused as one that was fenced is. Returns whether there were any.
  boolean forgetFenced(Connection connection) throws SQLException {
    int last = 0;
    try (Statement statement = connection.createStatement()) {
      for (String each : FORGET) {
        last = statement.executeUpdate(sql.of(each));
      }
    }
    return last > 0;
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
