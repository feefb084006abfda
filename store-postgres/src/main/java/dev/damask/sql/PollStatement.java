package dev.damask.sql;

import dev.damask.cluster.PolledMessages;
import dev.damask.cluster.SlotOwner;
import dev.damask.program.ProgramHash;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/// The statements of one poll, sent in one round trip.
public final class PollStatement {
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
  // Keys only: what waits is polled again and again, its bytes are read once. Messages of cases
  // that may have killed their node wait until their batch runs; they must not fill the limit.
  private static final String INBOX =
      " select i.case_id, i.message_id, coalesce(pg_column_size(i.body), 0)"
          + " + coalesce(pg_column_size(i.payload), 0), c.answer"
          + " from @.inbox i join @.slot s on s.slot = i.slot left join @.consumed c"
          + " on c.case_id = i.case_id and c.message_id = i.message_id where s.owner = ?"
          + " and (i.held_at is null or i.held_at < clock_timestamp() - interval '2 seconds')"
          + " and not exists (select 1 from @.suspects u where u.case_id = i.case_id"
          + " and u.node <> s.owner)"
          + " order by i.sent, i.case_id, i.message_id limit ?;";

  private static final String BODIES =
      "select i.case_id, i.message_id, i.kind, i.name, i.body, i.payload from @.inbox i"
          + " join unnest(?::text[], ?::text[]) as u (case_id, message_id)"
          + " on i.case_id = u.case_id and i.message_id = u.message_id"
          + " order by i.sent, i.case_id, i.message_id";

  /// How many bytes of messages one poll reads, so that the heartbeat does not wait for them.
  private static final long BODIES_MAX = 4_000_000;

  private static final String ROWS =
      " select r.index_key from @.rows r where r.kind = ? and r.index_key <> ''"
          + " order by r.index_key limit 1;"
          + " select 1 from @.rows r where r.kind = ? limit 1;"
          + " select 1 from @.claims c"
          + " where c.until <= (extract(epoch from clock_timestamp()) * 1000)::int8 limit 1;";

  private static final byte[] SCHEDULE = "schedule".getBytes(StandardCharsets.UTF_8);
  private static final byte[] MESSAGE = "message".getBytes(StandardCharsets.UTF_8);

  /// The contents of the rows beside the cases.
  ///
  /// @param schedule when the first schedule is due, as its index has it; empty if none is
  /// @param hasMessages whether cases have sent messages to their parents or children
  /// @param hasExpired whether the leases of claimed tasks have ended
  public record Rows(String schedule, boolean hasMessages, boolean hasExpired) {}

  /// What waits in the inbox.
  ///
  /// @param waiting the messages whose bytes are known or were read now
  /// @param read the messages that were not known, oldest first
  /// @param hasMore whether others are too large for one poll
  public record Inbox(List<PolledMessages.Key> waiting, List<InboxMessage> read, boolean hasMore) {
    public static final Inbox EMPTY = new Inbox(List.of(), List.of(), false);

    public Inbox {
      waiting = List.copyOf(waiting);
      read = List.copyOf(read);
    }
  }

  /// What the statements returned.
  public record Found(
      long ownership,
      boolean isFenced,
      long databaseMillis,
      boolean hasOrphans,
      Map<Integer, Long> counters,
      Inbox inbox,
      Map<PolledMessages.Key, Integer> answered,
      Rows rows) {}

  private final SqlText sql;
  private final int node;

  public PollStatement(SqlText sql, int node) {
    this.sql = sql;
    this.node = node;
  }

  /// Runs the poll in one round trip.
  ///
  /// @param isKnown whether the bytes of a message need not be read
  public Found run(
      Connection connection, boolean raises, int inboxMax, Predicate<PolledMessages.Key> isKnown)
      throws SQLException {
    String text = BEGIN + (raises ? RAISE : "") + SELF + OTHERS + INBOX + ROWS + " commit";
    try (PreparedStatement statement = connection.prepareStatement(sql.of(text))) {
      int at = 1;
      if (raises) {
        statement.setInt(at++, node);
      }
      statement.setInt(at++, node);
      statement.setInt(at++, node);
      statement.setInt(at++, node);
      statement.setInt(at++, inboxMax);
      statement.setBytes(at++, SCHEDULE);
      statement.setBytes(at, MESSAGE);
      statement.execute();
      next(statement, 2 + (raises ? 1 : 0));
      Map<Integer, Long> counters = new TreeMap<>();
      Map<PolledMessages.Key, Long> sizes = new LinkedHashMap<>();
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
          PolledMessages.Key key = new PolledMessages.Key(rows.getString(1), rows.getString(2));
          sizes.put(key, rows.getLong(3));
          int answer = rows.getInt(4);
          if (!rows.wasNull()) {
            answered.put(key, answer);
          }
        }
        statement.getMoreResults(KEEP);
      }
      Rows rows = rows(statement);
      Inbox inbox = inbox(connection, sizes, isKnown);
      return new Found(ownership, isFenced, millis, hasOrphans, counters, inbox, answered, rows);
    }
  }

  private Inbox inbox(
      Connection connection,
      Map<PolledMessages.Key, Long> sizes,
      Predicate<PolledMessages.Key> isKnown)
      throws SQLException {
    List<PolledMessages.Key> waiting = new ArrayList<>();
    Columns unread = new Columns("text", "text");
    long bytes = 0;
    boolean hasMore = false;
    for (Map.Entry<PolledMessages.Key, Long> each : sizes.entrySet()) {
      PolledMessages.Key key = each.getKey();
      if (isKnown.test(key)) {
        waiting.add(key);
      } else if (unread.isEmpty() || bytes + each.getValue() <= BODIES_MAX) {
        unread.add(key.caseId(), key.messageId());
        bytes += each.getValue();
      } else {
        hasMore = true;
      }
    }
    List<InboxMessage> read = new ArrayList<>();
    if (!unread.isEmpty()) {
      try (PreparedStatement query = connection.prepareStatement(sql.of(BODIES))) {
        unread.set(connection, query);
        try (ResultSet rows = query.executeQuery()) {
          while (rows.next()) {
            InboxMessage message = message(rows);
            read.add(message);
            waiting.add(new PolledMessages.Key(message.caseId(), message.messageId()));
          }
        }
      }
    }
    return new Inbox(waiting, read, hasMore);
  }

  private static Rows rows(PreparedStatement statement) throws SQLException {
    String schedule = "";
    try (ResultSet row = statement.getResultSet()) {
      byte[] first = row.next() ? row.getBytes(1) : null;
      schedule = first == null ? "" : new String(first, StandardCharsets.UTF_8);
      statement.getMoreResults(KEEP);
    }
    boolean hasMessages;
    try (ResultSet row = statement.getResultSet()) {
      hasMessages = row.next();
      statement.getMoreResults(KEEP);
    }
    try (ResultSet row = statement.getResultSet()) {
      return new Rows(schedule, hasMessages, row.next());
    }
  }

  private static final String WITHDRAWN =
      "select u.case_id, u.effect from unnest(?::text[], ?::int8[]) as u (case_id, effect)"
          + " where not exists (select 1 from @.intents i where i.case_id = u.case_id"
          + " and i.effect = u.effect and i.node = ?)";

  /// Returns the calls whose intents are gone or belong to another node now.
  public List<SlotOwner.ForeignCall> withdrawn(
      Connection connection, List<SlotOwner.ForeignCall> calls) throws SQLException {
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

  /// Writes which programs this node has. The empty hash means that they are all written. As with a
  /// poll, none of it needs to survive a crash of the server: a commit that waits for a standby
  /// that is away would stop the heartbeat.
  public void showPrograms(Connection connection, Set<ProgramHash> known) throws SQLException {
    Columns columns = new Columns("int4", "bytea");
    columns.add(node, new byte[0]);
    known.stream()
        .map(StoredBytes::of)
        .sorted(Arrays::compareUnsigned)
        .forEach(hash -> columns.add(node, hash));
    columns.run(
        connection,
        sql.of(
            "insert into @.node_programs (node, hash) select u.node, u.hash"
                + " from unnest(?::int4[], ?::bytea[]) as u (node, hash)"
                + " where set_config('synchronous_commit', 'off', true) is not null"
                + " on conflict do nothing"));
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
