package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cluster.PolledMessages;
import dev.damask.store.AppliedMessage;
import dev.damask.store.MessageReply;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Messages from any process to the owner of a case.
@Timeout(60)
final class PostgresInboxTest {
  private final TestCluster cluster = new TestCluster();
  private final PostgresClient client = PostgresClient.open(TestServer.source(), cluster.options);
  private final PostgresInbox inbox =
      new PostgresInbox(new SqlText(cluster.schema), cluster.locks().lockClass());

  @AfterEach
  void close() {
    cluster.close();
  }

  private static InboxMessage signal(String caseId, String messageId) {
    return new InboxMessage(
        caseId, messageId, "signal", "approved", new byte[] {1, 2}, Optional.empty());
  }

  private static List<String> ids(NodePoll poll) {
    return poll.inbox().stream().map(InboxMessage::messageId).toList();
  }

  private CommitOutcome apply(PostgresNode node, long epoch, String caseId, String messageId)
      throws SQLException {
    try (Connection connection = node.connections().take()) {
      return node.commit(
          connection,
          epoch,
          c -> {
            inbox.apply(
                c,
                List.of(new AppliedMessage(caseId, messageId, new MessageReply(3, 7, ""), true)));
            return true;
          });
    }
  }

  @Test
  void a_message_reaches_the_owner_of_its_case_and_no_other_node() throws SQLException {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    one.handOver(TestCluster.ALL);
    two.poll(0);
    String ofOne = TestCluster.caseOf(one);
    String ofTwo = TestCluster.caseOf(two);

    client.send(signal(ofOne, "m1"));
    client.send(signal(ofTwo, "m2"));

    NodePoll poll = one.poll(10);
    assertThat(ids(poll)).containsExactly("m1");
    assertThat(poll.inbox().getFirst().body()).containsExactly(1, 2);
    assertThat(ids(two.poll(10))).containsExactly("m2");
  }

  @Test
  void a_message_is_accepted_first_and_acknowledged_by_the_owners_commit() throws Exception {
    PostgresNode node = cluster.join();
    client.send(signal("order-1", "m1"));
    client.send(signal("order-1", "m1"));
    assertThat(ids(node.poll(10))).containsExactly("m1");
    assertThat(client.await("order-1", "m1", Duration.ZERO)).isEmpty();

    apply(node, node.epoch(), "order-1", "m1");

    assertThat(client.await("order-1", "m1", Duration.ofSeconds(5)))
        .contains(new MessageReply(3, 7, ""));
    assertThat(node.poll(10).inbox()).isEmpty();
  }

  @Test
  void a_commit_that_the_fence_refuses_leaves_the_message_for_the_next_owner() throws Exception {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    client.send(signal("order-1", "m1"));
    assertThat(ids(one.poll(10))).containsExactly("m1");
    NodePoll last = cluster.passLease(two);
    two.takeOver(one.id(), last.dead().getOrDefault(one.id(), -1L));

    assertThat(apply(one, one.epoch(), "order-1", "m1")).isInstanceOf(CommitOutcome.Refused.class);

    assertThat(ids(two.poll(10))).containsExactly("m1");
    assertThat(client.await("order-1", "m1", Duration.ZERO)).isEmpty();
  }

  /// A cursor over the times or numbers of the rows would pass over the message whose transaction
  /// committed late.
  @Test
  void a_message_whose_transaction_commits_late_is_not_passed_over() throws Exception {
    PostgresNode node = cluster.join();
    PolledMessages polled = new PolledMessages();
    try (Connection slow = TestServer.source().getConnection()) {
      slow.setAutoCommit(false);
      inbox.send(slow, List.of(signal("order-1", "early")));
      client.send(signal("order-1", "late"));
      assertThat(polled.fresh(keys(node.poll(10)))).extracting("messageId").containsExactly("late");

      slow.commit();
    }
    assertThat(polled.fresh(keys(node.poll(10)))).extracting("messageId").containsExactly("early");
    String cursor =
        ("select message_id from %s.inbox where sent >"
                + " (select sent from %s.inbox where message_id = 'late')")
            .formatted(cluster.schema, cluster.schema);
    assertThat(TestServer.query(cursor)).isEmpty();
  }

  private static List<PolledMessages.Key> keys(NodePoll poll) {
    return poll.inbox().stream()
        .map(each -> new PolledMessages.Key(each.caseId(), each.messageId()))
        .toList();
  }

  @Test
  void sql_functions_send_every_kind_of_message() throws SQLException {
    PostgresNode node = cluster.join();
    String schema = cluster.schema;

    TestServer.execute(
        "select %s.damask_signal('order-42', 'approved', '{\"by\": \"eve\"}', 'message-1')"
            .formatted(schema));
    TestServer.execute("select %s.damask_start('order', 'order-43')".formatted(schema));
    TestServer.execute("select %s.damask_complete('order-42', 'pay', '{}')".formatted(schema));
    TestServer.execute("select %s.damask_fail('order-42', 'pay', 'no money')".formatted(schema));
    TestServer.execute("select %s.damask_cancel('order-42')".formatted(schema));
    TestServer.execute("select %s.damask_retry('order-42')".formatted(schema));
    TestServer.execute("select %s.damask_wake('order-42')".formatted(schema));

    List<InboxMessage> found = node.poll(10).inbox();
    assertThat(found)
        .extracting(InboxMessage::kind)
        .containsExactly("signal", "start", "complete", "fail", "cancel", "retry", "wake");
    assertThat(found.getFirst().messageId()).isEqualTo("message-1");
    assertThat(found.getFirst().payload()).contains("{\"by\": \"eve\"}");
    assertThatThrownBy(() -> TestServer.execute("select %s.damask_wake('a b')".formatted(schema)))
        .rootCause()
        .hasMessageContaining("case id 'a b': must have 1 to 128 ASCII letters");
  }

  @Test
  void a_hint_wakes_a_node_that_listens() throws SQLException {
    PostgresNode node = cluster.join();
    try (InboxHints hints = new InboxHints(node.connections(), inbox.channel())) {
      hints.listen();
      assertThat(hints.await(1)).isFalse();

      client.send(signal("order-1", "m1"));

      assertThat(hints.await(10_000)).isTrue();
    }
  }

  @Test
  void replies_are_kept_for_a_day() throws Exception {
    PostgresNode node = cluster.join();
    apply(node, node.epoch(), "order-1", "old");
    TestServer.execute(
        "update " + cluster.schema + ".replies set replied = replied - interval '25 hours'");
    apply(node, node.epoch(), "order-1", "new");

    try (Connection connection = node.connections().take()) {
      assertThat(inbox.forgetReplies(connection)).isEqualTo(1);
    }

    assertThat(client.await("order-1", "old", Duration.ZERO)).isEmpty();
    assertThat(client.await("order-1", "new", Duration.ZERO)).isPresent();
  }

  @Test
  void a_message_with_a_null_character_is_refused_before_it_is_sent() {
    assertThatThrownBy(() -> signal("order\0", "m"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("U+0000");
    assertThatThrownBy(() -> signal("order", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("message id must not be empty");
  }

  /// Rows in different orders make two nodes wait for each other.
  @Test
  void messages_are_written_in_the_order_of_their_keys() throws Exception {
    List<InboxMessage> messages = List.of(signal("b", "1"), signal("a", "1"), signal("c", "1"));
    try (Connection one = TestServer.source().getConnection();
        Statement statement = one.createStatement()) {
      inbox.send(one, messages);
      try (var rows =
          statement.executeQuery(
              "select string_agg(case_id, '' order by ctid) from " + cluster.schema + ".inbox")) {
        rows.next();
        assertThat(rows.getString(1)).isEqualTo("abc");
      }
    }
  }
}
