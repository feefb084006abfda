package dev.damask.store.postgres;

import dev.damask.cluster.PolledMessages;
import dev.damask.cluster.Slots;
import dev.damask.sql.Columns;
import dev.damask.sql.InboxMessage;
import dev.damask.sql.SqlText;
import dev.damask.store.AppliedMessage;
import dev.damask.store.CaseStatus;
import dev.damask.store.MessageReply;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Messages to cases of any node and the replies to them. Each method runs in the caller's
/// transaction.
///
/// A row of table `inbox` means that a message is accepted and will not be lost. The owner's commit
/// acknowledges it: the same transaction changes the case, deletes the row and writes the reply.
final class PostgresInbox {
  /// How long a poll passes over a message that is held, at least.
  static final long HELD_MIN_SECONDS = 2;

  private final SqlText sql;
  private final int lockClass;

  PostgresInbox(SqlText sql, int lockClass) {
    this.sql = sql;
    this.lockClass = lockClass;
  }

  /// Accepts messages. A message with the id of one that waits changes nothing.
  void send(Connection connection, Collection<InboxMessage> messages) throws SQLException {
    List<InboxMessage> sorted = new ArrayList<>(messages);
    sorted.sort(Comparator.comparing(InboxMessage::caseId).thenComparing(InboxMessage::messageId));
    try (PreparedStatement insert =
        connection.prepareStatement(
            sql.of(
                "insert into @.inbox (case_id, message_id, slot, kind, name, body)"
                    + " select u.case_id, u.message_id, u.slot, u.kind, u.name, u.body"
                    + " from unnest(?::text[], ?::text[], ?::int2[], ?::text[], ?::text[],"
                    + " ?::bytea[]) as u (case_id, message_id, slot, kind, name, body)"
                    + " on conflict do nothing"))) {
      int size = sorted.size();
      String[][] texts = new String[4][size];
      Short[] slots = new Short[size];
      byte[][] bodies = new byte[size][];
      for (int i = 0; i < size; i++) {
        InboxMessage each = sorted.get(i);
        texts[0][i] = each.caseId();
        texts[1][i] = each.messageId();
        texts[2][i] = each.kind();
        texts[3][i] = each.name();
        slots[i] = (short) Slots.of(each.caseId());
        bodies[i] = each.body();
      }
      insert.setArray(1, connection.createArrayOf("text", texts[0]));
      insert.setArray(2, connection.createArrayOf("text", texts[1]));
      insert.setArray(3, connection.createArrayOf("int2", slots));
      insert.setArray(4, connection.createArrayOf("text", texts[2]));
      insert.setArray(5, connection.createArrayOf("text", texts[3]));
      insert.setArray(6, connection.createArrayOf("bytea", bodies));
      insert.executeUpdate();
    }
  }

  /// Accepts messages in a transaction of their own. A reply to an earlier message of the same id
  /// is removed, so that it is not taken for the new one.
  void accept(Connection connection, Collection<InboxMessage> messages) throws SQLException {
    connection.setAutoCommit(false);
    try {
      NodeLocks.begin(connection);
      Columns keys = new Columns("text", "text");
      messages.stream()
          .sorted(Comparator.comparing(InboxMessage::caseId).thenComparing(InboxMessage::messageId))
          .forEach(each -> keys.add(each.caseId(), each.messageId()));
      keys.run(
          connection,
          sql.of(
              "delete from @.replies r using unnest(?::text[], ?::text[])"
                  + " as u (case_id, message_id)"
                  + " where r.case_id = u.case_id and r.message_id = u.message_id"));
      send(connection, messages);
      connection.commit();
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  /// Deletes the rows of applied messages and writes their replies. Belongs into the transaction
  /// that changes the cases.
  void apply(Connection connection, Collection<AppliedMessage> applied) throws SQLException {
    List<AppliedMessage> sorted = new ArrayList<>(applied);
    sorted.sort(
        Comparator.comparing(AppliedMessage::caseId).thenComparing(AppliedMessage::messageId));
    Columns keys = new Columns("text", "text");
    Columns replies = new Columns("text", "text", "int2", "int4", "int8", "text");
    for (AppliedMessage each : sorted) {
      String caseId = each.caseId();
      MessageReply reply = each.reply();
      keys.add(caseId, each.messageId());
      replies.add(
          caseId,
          each.messageId(),
          (short) Slots.of(caseId),
          reply.answer(),
          reply.revision(),
          reply.detail());
    }
    keys.run(
        connection,
        sql.of(
            "delete from @.inbox i using unnest(?::text[], ?::text[]) as u (case_id, message_id)"
                + " where i.case_id = u.case_id and i.message_id = u.message_id"));
    replies.run(connection, sql.of(REPLY));
  }

  private static final String REPLY =
      "insert into @.replies (case_id, message_id, slot, answer, revision, detail)"
          + " select u.case_id, u.message_id, u.slot, u.answer, u.revision, u.detail"
          + " from unnest(?::text[], ?::text[], ?::int2[], ?::int4[], ?::int8[], ?::text[])"
          + " as u (case_id, message_id, slot, answer, revision, detail)"
          + " on conflict (case_id, message_id) do update"
          + " set answer = excluded.answer, revision = excluded.revision,"
          + " detail = excluded.detail, replied = excluded.replied";

  /// Returns the replies to messages, as far as they are applied.
  Map<PolledMessages.Key, MessageReply> replies(
      Connection connection, Collection<PolledMessages.Key> messages) throws SQLException {
    Columns keys = new Columns("text", "text");
    messages.forEach(key -> keys.add(key.caseId(), key.messageId()));
    Map<PolledMessages.Key, MessageReply> found = new HashMap<>();
    try (PreparedStatement query =
        connection.prepareStatement(
            sql.of(
                "select r.case_id, r.message_id, r.answer, r.revision, r.detail from @.replies r"
                    + " join unnest(?::text[], ?::text[]) as u (case_id, message_id)"
                    + " on r.case_id = u.case_id and r.message_id = u.message_id"))) {
      keys.set(connection, query);
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          found.put(
              new PolledMessages.Key(rows.getString(1), rows.getString(2)),
              new MessageReply(rows.getInt(3), rows.getLong(4), rows.getString(5)));
        }
      }
    }
    return found;
  }

  /// Returns which of the cases have ended, are stuck or do not exist.
  List<String> ended(Connection connection, Collection<String> cases) throws SQLException {
    Columns ids = new Columns("text");
    cases.forEach(ids::add);
    List<String> ended = new ArrayList<>();
    try (PreparedStatement query =
        connection.prepareStatement(
            sql.of(
                "select u.case_id from unnest(?::text[]) as u (case_id) where not exists"
                    + " (select 1 from @.cases c where c.case_id = u.case_id and c.status in ("
                    + CaseStatus.RUNNING.number()
                    + ", "
                    + CaseStatus.WAITING.number()
                    + ","
                    + CaseStatus.PAUSED.number()
                    + "))"))) {
      ids.set(connection, query);
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          ended.add(rows.getString(1));
        }
      }
    }
    return ended;
  }

  /// Notes why a message is not applied yet. Polls pass over it for a time.
  ///
  /// @param pauseSeconds at least [#HELD_MIN_SECONDS]
  void hold(Connection connection, PolledMessages.Key message, String why, long pauseSeconds)
      throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            sql.of(
                "update @.inbox set held = ?,"
                    + " held_at = clock_timestamp() + ? * interval '1 second'"
                    + " where case_id = ? and message_id = ?"))) {
      update.setString(1, why);
      update.setLong(2, pauseSeconds - HELD_MIN_SECONDS); // the poll adds these
      update.setString(3, message.caseId());
      update.setString(4, message.messageId());
      update.executeUpdate();
    }
  }

  /// Lets the next poll deliver all messages of a node that are held, for example because it has
  /// got another program.
  void retryHeld(Connection connection, int node) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            sql.of(
                "update @.inbox i set held_at = null from @.slot s"
                    + " where s.slot = i.slot and s.owner = ? and i.held_at is not null"))) {
      update.setInt(1, node);
      update.executeUpdate();
    }
  }

  /// Removes replies that are older than a day by the database's clock.
  int forgetReplies(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(
          sql.of("delete from @.replies where replied < clock_timestamp() - interval '1 day'"));
    }
  }

  /// Returns the channel on which nodes are woken.
  String channel() {
    return "damask_" + lockClass;
  }

  /// Wakes the nodes that listen. It must run in its own transaction, because the server serialises
  /// all transactions that notify. Only a hint: polls find what a lost one announced.
  void wake(Connection connection) throws SQLException {
    try (PreparedStatement notify = connection.prepareStatement("select pg_notify(?, '')")) {
      notify.setString(1, channel());
      notify.execute();
    }
  }
}
