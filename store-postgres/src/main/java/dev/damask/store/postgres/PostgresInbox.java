package dev.damask.store.postgres;

import dev.damask.cluster.Slots;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Messages to cases of any node and the replies to them. Each method runs in the caller's
/// transaction.
///
/// A row of table `inbox` means that a message is accepted and will not be lost. The owner's commit
/// acknowledges it: the same transaction changes the case, deletes the row and writes the reply.
final class PostgresInbox {
  private final SqlText sql;
  private final int lockClass;

  PostgresInbox(SqlText sql, int lockClass) {
    this.sql = sql;
    this.lockClass = lockClass;
  }

  /// A message that the owner has applied.
  ///
  /// @param answer the number of the answer, as table `consumed` has it
  /// @param detail for people; empty if there is nothing to say
  record Applied(String caseId, String messageId, int answer, String detail) {}

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

  /// Deletes the rows of applied messages and writes their replies. Belongs into the transaction
  /// that changes the cases.
  void apply(Connection connection, Collection<Applied> applied) throws SQLException {
    List<Applied> sorted = new ArrayList<>(applied);
    sorted.sort(Comparator.comparing(Applied::caseId).thenComparing(Applied::messageId));
    String[] cases = sorted.stream().map(Applied::caseId).toArray(String[]::new);
    String[] messages = sorted.stream().map(Applied::messageId).toArray(String[]::new);
    try (PreparedStatement delete =
        connection.prepareStatement(
            sql.of(
                "delete from @.inbox i using unnest(?::text[], ?::text[])"
                    + " as u (case_id, message_id)"
                    + " where i.case_id = u.case_id and i.message_id = u.message_id"))) {
      delete.setArray(1, connection.createArrayOf("text", cases));
      delete.setArray(2, connection.createArrayOf("text", messages));
      delete.executeUpdate();
    }
    try (PreparedStatement insert =
        connection.prepareStatement(
            sql.of(
                "insert into @.replies (case_id, message_id, slot, answer, detail)"
                    + " select u.case_id, u.message_id, u.slot, u.answer, u.detail"
                    + " from unnest(?::text[], ?::text[], ?::int2[], ?::int4[], ?::text[])"
                    + " as u (case_id, message_id, slot, answer, detail)"
                    + " on conflict (case_id, message_id) do update"
                    + " set answer = excluded.answer, detail = excluded.detail,"
                    + " replied = excluded.replied"))) {
      insert.setArray(1, connection.createArrayOf("text", cases));
      insert.setArray(2, connection.createArrayOf("text", messages));
      insert.setArray(
          3,
          connection.createArrayOf(
              "int2",
              sorted.stream().map(each -> (short) Slots.of(each.caseId())).toArray(Short[]::new)));
      insert.setArray(
          4,
          connection.createArrayOf(
              "int4", sorted.stream().map(Applied::answer).toArray(Integer[]::new)));
      insert.setArray(
          5,
          connection.createArrayOf(
              "text", sorted.stream().map(Applied::detail).toArray(String[]::new)));
      insert.executeUpdate();
    }
  }

  /// Returns the reply to a message; empty while it is not applied.
  Optional<Applied> reply(Connection connection, String caseId, String messageId)
      throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            sql.of("select answer, detail from @.replies where case_id = ? and message_id = ?"))) {
      query.setString(1, caseId);
      query.setString(2, messageId);
      try (ResultSet row = query.executeQuery()) {
        return row.next()
            ? Optional.of(new Applied(caseId, messageId, row.getInt(1), row.getString(2)))
            : Optional.empty();
      }
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

  /// Wakes the nodes that listen. It must run in a transaction of its own, because the server
  /// serialises all transactions that notify. Only a hint: polls find what a lost one announced.
  void wake(Connection connection) throws SQLException {
    try (PreparedStatement notify = connection.prepareStatement("select pg_notify(?, '')")) {
      notify.setString(1, channel());
      notify.execute();
    }
  }
}
