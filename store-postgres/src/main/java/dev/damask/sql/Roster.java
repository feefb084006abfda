package dev.damask.sql;

import dev.damask.cluster.LivingNodes;
import dev.damask.cluster.Slots;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The nodes and owners of a cluster, read under the cluster's lock.
///
/// @param nodes by id
/// @param owners the owner of each slot
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
public record Roster(Map<Integer, Member> nodes, int[] owners) {
  /// One row of table `node` with its heartbeat.
  public record Member(
      int id, long epoch, boolean isFenced, boolean isLeaving, String role, long counter) {}

  public static Roster read(Connection connection, SqlText sql) throws SQLException {
    Map<Integer, Member> nodes = new TreeMap<>();
    int[] owners = new int[Slots.COUNT];
    try (Statement statement = connection.createStatement()) {
      try (ResultSet rows =
          statement.executeQuery(
              sql.of(
                  "select n.id, n.epoch, n.fenced, n.leaving, n.role, coalesce(h.counter, -1)"
                      + " from @.node n left join @.heartbeat h on h.node = n.id"))) {
        while (rows.next()) {
          nodes.put(
              rows.getInt(1),
              new Member(
                  rows.getInt(1),
                  rows.getLong(2),
                  rows.getBoolean(3),
                  rows.getBoolean(4),
                  rows.getString(5),
                  rows.getLong(6)));
        }
      }
      try (ResultSet rows = statement.executeQuery(sql.of("select slot, owner from @.slot"))) {
        while (rows.next()) {
          owners[rows.getInt(1)] = rows.getInt(2);
        }
      }
    }
    return new Roster(nodes, owners);
  }

  public @Nullable Member node(int id) {
    return nodes.get(id);
  }

  /// Returns the slots of a node.
  public BitSet slotsOf(int node) {
    BitSet slots = new BitSet(owners.length);
    for (int slot = 0; slot < owners.length; slot++) {
      slots.set(slot, owners[slot] == node);
    }
    return slots;
  }

  /// Returns the nodes that are not fenced.
  public LivingNodes living() {
    Set<Integer> takers = new TreeSet<>();
    Set<Integer> leaving = new TreeSet<>();
    for (Member member : nodes.values()) {
      if (!member.isFenced) {
        (member.isLeaving ? leaving : takers).add(member.id);
      }
    }
    return new LivingNodes(takers, leaving);
  }

  /// Writes the owners that changed and raises the ownership number.
  public void write(Connection connection, SqlText sql, int[] planned) throws SQLException {
    List<Integer> slots = new ArrayList<>();
    List<Integer> takers = new ArrayList<>();
    for (int slot = 0; slot < planned.length; slot++) {
      if (planned[slot] != owners[slot]) {
        slots.add(slot);
        takers.add(planned[slot]);
      }
    }
    try (PreparedStatement update =
        connection.prepareStatement(
            sql.of(
                "update @.slot s set owner = c.owner from unnest(?::int4[], ?::int4[])"
                    + " as c (slot, owner) where s.slot = c.slot"))) {
      update.setArray(1, connection.createArrayOf("int4", slots.toArray()));
      update.setArray(2, connection.createArrayOf("int4", takers.toArray()));
      update.executeUpdate();
    }
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql.of("update @.cluster set ownership = ownership + 1"));
    }
  }

  /// Reads a node's slots and the ownership number in one snapshot.
  public static NodeState state(Connection connection, SqlText sql, int node) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            sql.of(
                "select c.ownership, n.epoch,"
                    + " array(select s.slot::int4 from @.slot s where s.owner = n.id)"
                    + " from @.cluster c join @.node n on n.id = ?"))) {
      query.setInt(1, node);
      try (ResultSet row = query.executeQuery()) {
        if (!row.next()) {
          return new NodeState(0, Long.MAX_VALUE, new BitSet());
        }
        BitSet slots = new BitSet(Slots.COUNT);
        for (Integer slot : (Integer[]) row.getArray(3).getArray()) {
          slots.set(slot);
        }
        return new NodeState(row.getLong(2), row.getLong(1), slots);
      }
    }
  }
}
