package dev.damask.store.postgres;

import dev.damask.cluster.PolledMessages;
import dev.damask.cluster.SlotOwner;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The statements of one poll, sent in one round trip.
final class PollStatement {
  // Nothing that a poll writes needs to survive a crash of the server: a counter that goes back has
  // changed as well. Explicit BEGIN and COMMIT keep all of it in one round trip.
  private static final String BEGIN =
      "begin isolation level read committed read write;"
          + " select set_config('synchronous_commit', 'off', true);";
  private static final String RAISE =
      " update @.heartbeat set counter = counter + 1 where node = ?;";
  private static final String SELF =
      " select c.ownership, coalesce(n.fenced, true),"
          + " (extract(epoch from clock_timestamp()) * 1000)::int8,"
          + " exists (select 1 from (select distinct owner from @.slot) s where not exists"
          + " (select 1 from @.node m where m.id = s.owner and not m.fenced))"
          + " from @.cluster c left join @.node n on n.id = ?;";
  private static final String OTHERS =
      " select h.node, h.counter from @.heartbeat h join @.node n on n.id = h.node"
          + " where h.node <> ? and not n.fenced;";
  private static final String INBOX =
      " select i.case_id, i.message_id, i.kind, i.name, i.body, i.payload, c.answer"
          + " from @.inbox i join @.slot s on s.slot = i.slot left join @.consumed c"
          + " on c.case_id = i.case_id and c.message_id = i.message_id where s.owner = ?"
          + " and (i.held_at is null or i.held_at < clock_timestamp() - interval '2 seconds')"
          + " order by i.sent, i.case_id, i.message_id limit ?;";

  /// What the statements returned.
  record Found(
      long ownership,
      boolean isFenced,
      long databaseMillis,
      boolean hasOrphans,
      Map<Integer, Long> counters,
      List<InboxMessage> inbox,
      Map<PolledMessages.Key, Integer> answered) {}

  private final SqlText sql;
  private final int node;

  PollStatement(SqlText sql, int node) {
    this.sql = sql;
    this.node = node;
  }

  Found run(Connection connection, boolean raises, int inboxMax) throws SQLException {
    String text = BEGIN + (raises ? RAISE : "") + SELF + OTHERS + INBOX + " commit";
    try (PreparedStatement statement = connection.prepareStatement(sql.of(text))) {
      int at = 1;
      if (raises) {
        statement.setInt(at++, node);
      }
      statement.setInt(at++, node);
      statement.setInt(at++, node);
      statement.setInt(at++, node);
      statement.setInt(at, inboxMax);
      statement.execute();
      next(statement, 2 + (raises ? 1 : 0));
      Map<Integer, Long> counters = new TreeMap<>();
      List<InboxMessage> inbox = new ArrayList<>();
      Map<PolledMessages.Key, Integer> answered = new HashMap<>();
      long ownership;
      boolean isFenced;
      long millis;
      boolean hasOrphans;
      try (ResultSet row = statement.getResultSet()) {
        row.next();
        ownership = row.getLong(1);
        isFenced = row.getBoolean(2);
        millis = row.getLong(3);
        hasOrphans = row.getBoolean(4);
        statement.getMoreResults(KEEP);
      }
      try (ResultSet rows = statement.getResultSet()) {
        while (rows.next()) {
          counters.put(rows.getInt(1), rows.getLong(2));
        }
        statement.getMoreResults(KEEP);
      }
      try (ResultSet rows = statement.getResultSet()) {
        while (rows.next()) {
          InboxMessage message = message(rows);
          inbox.add(message);
          int answer = rows.getInt(7);
          if (!rows.wasNull()) {
            answered.put(new PolledMessages.Key(message.caseId(), message.messageId()), answer);
          }
        }
      }
      return new Found(ownership, isFenced, millis, hasOrphans, counters, inbox, answered);
    }
  }

  private static final String WITHDRAWN =
      "select u.case_id, u.effect from unnest(?::text[], ?::int8[]) as u (case_id, effect)"
          + " where not exists (select 1 from @.intents i where i.case_id = u.case_id"
          + " and i.effect = u.effect and i.node = ?)";

  /// Returns the calls whose intents are gone or belong to another node now.
  List<SlotOwner.ForeignCall> withdrawn(Connection connection, List<SlotOwner.ForeignCall> calls)
      throws SQLException {
    Columns columns = new Columns("text", "int8");
    calls.forEach(call -> columns.add(call.caseId(), call.effect()));
    List<SlotOwner.ForeignCall> withdrawn = new ArrayList<>();
    try (PreparedStatement query = connection.prepareStatement(sql.of(WITHDRAWN))) {
      columns.set(connection, query);
      query.setInt(3, node);
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          withdrawn.add(new SlotOwner.ForeignCall(rows.getString(1), rows.getLong(2)));
        }
      }
    }
    return withdrawn;
  }

  private static final int KEEP = Statement.KEEP_CURRENT_RESULT;

  /// Skips results.
  private static void next(PreparedStatement statement, int count) throws SQLException {
    for (int i = 0; i < count; i++) {
      statement.getMoreResults();
    }
  }

  static InboxMessage message(ResultSet row) throws SQLException {
    byte[] body = row.getBytes(5);
    return new InboxMessage(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        body == null ? new byte[0] : body,
        Optional.ofNullable(row.getString(6)));
  }
}
