package dev.damask.sql;

import dev.damask.cluster.Slots;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// The statements about cases that may have killed their node, in table `suspects`. Each method
/// runs in the caller's transaction.
///
/// The cases of a node that died resume in batches. A batch is marked with its node before it runs
/// and removed after it. If its node dies, too, the batch is halved; so a case that kills its nodes
/// is alone in its batch soon.
public final class SuspectRows {
  /// The number of cases of the first batch of a node that died. Each further one is twice as
  /// large: the longer no node dies, the less likely is a case that kills.
  public static final int BATCH_MAX = 64;

  private static final byte[] MESSAGE = "message".getBytes(StandardCharsets.UTF_8);

  private final SqlText sql;

  public SuspectRows(SqlText sql) {
    this.sql = sql;
  }

  /// A row of the table.
  ///
  /// @param batch the cases with this number run together
  /// @param node the node that runs it now; 0 if it waits
  /// @param deaths how many nodes died while it was alone in its batch
  public record Suspect(String caseId, long batch, int node, int deaths) {}

  private static final String SELECT =
      "select u.case_id, u.batch, u.node, u.deaths from @.suspects u ";

  /// Notes what a node may have died of: halves the batch that it ran, and adds the cases that were
  /// active, due or had messages. Called while the node still has its slots in the table.
  public void died(Connection connection, int node, BitSet slots, long nowMillis)
      throws SQLException {
    List<Suspect> ran = query(connection, SELECT + "where u.node = ? order by u.case_id", node);
    long last = lastBatch(connection);
    List<Suspect> changed = new ArrayList<>();
    for (int i = 0; i < ran.size(); i++) {
      Suspect each = ran.get(i);
      // Both halves go to the end, so that cases which are not suspected of two deaths come first.
      long half = 2 * i < ran.size() ? 1 : 2;
      int deaths = each.deaths + (ran.size() == 1 ? 1 : 0);
      changed.add(new Suspect(each.caseId, last + half, 0, deaths));
    }
    update(connection, changed);
    last += ran.isEmpty() ? 0 : 2;
    Set<String> added = active(connection, node, nowMillis);
    added.addAll(receivers(connection, slots));
    int number = 0;
    Columns columns = new Columns("text", "int2", "int8");
    for (String caseId : added) {
      columns.add(caseId, (short) Slots.of(caseId), last + 1 + batchOf(number++));
    }
    columns.run(
        connection,
        sql.of(
            "insert into @.suspects (case_id, slot, batch) select u.case_id, u.slot, u.batch"
                + " from unnest(?::text[], ?::int2[], ?::int8[]) as u (case_id, slot, batch)"
                + " on conflict do nothing"));
    setLastBatch(connection, last + 1 + batchOf(number));
  }

  private static int batchOf(int number) {
    return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(number / BATCH_MAX + 1);
  }

  private static final String[] ACTIVE = {
    "select c.case_id from @.cases c join @.slot s on s.slot = c.slot and s.owner = ?"
        + " where c.status = 0",
    "select i.case_id from @.intents i where i.node = ?",
    "select i.case_id from @.inbox i join @.slot s on s.slot = i.slot and s.owner = ?"
  };

  private Set<String> active(Connection connection, int node, long nowMillis) throws SQLException {
    Set<String> found = new TreeSet<>();
    for (String text : ACTIVE) {
      try (PreparedStatement query = connection.prepareStatement(sql.of(text))) {
        query.setInt(1, node);
        addAll(query, found);
      }
    }
    try (PreparedStatement query =
        connection.prepareStatement(
            sql.of(
                "select d.case_id from @.due d join @.slot s on s.slot = d.slot and s.owner = ?"
                    + " where d.due <= ?"))) {
      query.setInt(1, node);
      query.setLong(2, nowMillis);
      addAll(query, found);
    }
    return found;
  }

  private static void addAll(PreparedStatement query, Set<String> found) throws SQLException {
    try (ResultSet rows = query.executeQuery()) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
  }

  /// The cases that messages of parents and children wait for.
  private Set<String> receivers(Connection connection, BitSet slots) throws SQLException {
    Set<String> found = new TreeSet<>();
    try (PreparedStatement query =
        connection.prepareStatement(sql.of("select key from @.rows where kind = ?"))) {
      query.setBytes(1, MESSAGE);
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          String key = new String(rows.getBytes(1), StandardCharsets.UTF_8);
          String caseId = key.substring(0, Math.max(0, key.indexOf('/')));
          if (slots.get(Slots.of(caseId))) {
            found.add(caseId);
          }
        }
      }
    }
    return found;
  }

  /// Takes back the batch of a node.
  public void left(Connection connection, int node) throws SQLException {
    update(connection, "update @.suspects set node = 0 where node = ?", node);
  }

  /// Returns the suspects of a node's slots.
  public List<Suspect> of(Connection connection, int node) throws SQLException {
    return query(
        connection,
        SELECT + "join @.slot s on s.slot = u.slot and s.owner = ? order by u.batch, u.case_id",
        node);
  }

  /// Marks the next batch of a node's slots with the node and returns it; empty if there is none. A
  /// batch that was marked in doubt is not begun.
  public List<Suspect> begin(Connection connection, int node) throws SQLException {
    left(connection, node);
    List<Suspect> batch = new ArrayList<>();
    for (Suspect each : of(connection, node)) {
      boolean isNext = batch.isEmpty() || batch.getFirst().batch == each.batch;
      if (each.node == 0 && isNext) {
        batch.add(new Suspect(each.caseId, each.batch, node, each.deaths));
      }
    }
    update(connection, batch);
    return batch;
  }

  /// Clears the cases of the batch that a node has run.
  public void end(Connection connection, int node) throws SQLException {
    update(connection, "delete from @.suspects where node = ?", node);
  }

  private void update(Connection connection, List<Suspect> suspects) throws SQLException {
    Columns columns = new Columns("text", "int8", "int4", "int4");
    suspects.stream()
        .sorted(java.util.Comparator.comparing(Suspect::caseId))
        .forEach(each -> columns.add(each.caseId, each.batch, each.node, each.deaths));
    columns.run(
        connection,
        sql.of(
            "update @.suspects t set batch = u.batch, node = u.node, deaths = u.deaths"
                + " from unnest(?::text[], ?::int8[], ?::int4[], ?::int4[])"
                + " as u (case_id, batch, node, deaths) where t.case_id = u.case_id"));
  }

  private long lastBatch(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.of("select last_batch from @.cluster"))) {
      row.next();
      return row.getLong(1);
    }
  }

  private void setLastBatch(Connection connection, long last) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(sql.of("update @.cluster set last_batch = ?"))) {
      update.setLong(1, last);
      update.executeUpdate();
    }
  }

  private List<Suspect> query(Connection connection, String text, int node) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(sql.of(text))) {
      query.setInt(1, node);
      List<Suspect> found = new ArrayList<>();
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          found.add(
              new Suspect(rows.getString(1), rows.getLong(2), rows.getInt(3), rows.getInt(4)));
        }
      }
      return found;
    }
  }

  private void update(Connection connection, String text, int node) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql.of(text))) {
      update.setInt(1, node);
      update.executeUpdate();
    }
  }
}
