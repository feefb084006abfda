package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cluster.PolledMessages;
import dev.damask.sql.CommitOutcome;
import dev.damask.sql.InboxMessage;
import dev.damask.sql.NodePoll;
import dev.damask.sql.SqlText;
import dev.damask.store.AppliedMessage;
import dev.damask.store.MessageReply;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
        caseId, messageId, "signal", "approved", new byte[] {0}, Optional.empty());
  }

  private static List<String> ids(NodePoll poll) {
    return poll.inbox().read().stream().map(InboxMessage::messageId).toList();
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

    client.send(signal(ofOne, "m1").toCase());
    client.send(signal(ofTwo, "m2").toCase());

    NodePoll poll = one.poll(10);
    assertThat(ids(poll)).containsExactly("m1");
    assertThat(poll.inbox().read().getFirst().body()).containsExactly(0);
    assertThat(ids(two.poll(10))).containsExactly("m2");
  }

  @Test
  void a_message_is_accepted_first_and_acknowledged_by_the_owners_commit() throws Exception {
    PostgresNode node = cluster.join();
    client.send(signal("order-1", "m1").toCase());
    client.send(signal("order-1", "m1").toCase());
    assertThat(ids(node.poll(10))).containsExactly("m1");
    assertThat(client.await("order-1", "m1", Duration.ZERO)).isEmpty();

    apply(node, node.epoch(), "order-1", "m1");

    assertThat(client.await("order-1", "m1", Duration.ofSeconds(5)))
        .contains(new MessageReply(3, 7, ""));
    assertThat(node.poll(10).inbox().waiting()).isEmpty();
  }

  @Test
  void a_commit_that_the_fence_refuses_leaves_the_message_for_the_next_owner() throws Exception {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    client.send(signal("order-1", "m1").toCase());
    assertThat(ids(one.poll(10))).containsExactly("m1");
    NodePoll last = cluster.passLease(two);
    two.takeOver(one.id(), last.dead().getOrDefault(one.id(), -1L));

    assertThat(apply(one, one.epoch(), "order-1", "m1")).isInstanceOf(CommitOutcome.Refused.class);

    assertThat(ids(two.poll(10))).as("the case may have killed its node").isEmpty();
    TestServer.execute("update " + cluster.schema + ".suspects set node = " + two.id());
    assertThat(ids(two.poll(10))).as("its batch runs").containsExactly("m1");
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
      client.send(signal("order-1", "late").toCase());
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
    return poll.inbox().read().stream()
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

    List<InboxMessage> found = node.poll(10).inbox().read();
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

      client.send(signal("order-1", "m1").toCase());

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

  private static final int AWAITED = 1_500;
  private static final int ENDED = 30;

  @Test
  void every_end_is_told_however_many_cases_are_awaited() throws Exception {
    TestServer.execute(
        ("insert into @.cases (case_id, slot, workflow, program, status, revision, epoch, started,"
                + " changed, checksum, record, commit_node, commit_epoch, commit_number)"
                + " select 'case-' || g, 0, 'w', '', 1, 1, 1, 0, 0, 0, '', 1, 1, 1"
                + " from generate_series(1, "
                + AWAITED
                + ") g")
            .replace("@.", cluster.schema + "."));
    try (ClientStore store = ClientStore.open(TestServer.source(), cluster.options)) {
      List<CompletableFuture<Void>> ends = new ArrayList<>();
      for (int i = 1; i <= AWAITED; i++) {
        ends.add(store.awaitEnd("case-" + i));
      }

      for (int i = 1; i <= ENDED; i++) { // of any thousand, some are not among them
        int ended = i * AWAITED / ENDED;
        TestServer.execute(
            "delete from " + cluster.schema + ".cases where case_id = 'case-" + ended + "'");
        ends.get(ended - 1).get(20, TimeUnit.SECONDS);
      }

      assertThat(ends.stream().filter(CompletableFuture::isDone)).hasSize(ENDED);
    }
  }

  @Test
  void the_bytes_of_a_message_are_read_once_and_not_more_than_a_poll_can_bear() throws Exception {
    PostgresNode node = cluster.join();
    for (int i = 1; i <= 3; i++) {
      byte[] body = new byte[3_000_000];
      new java.util.Random(i).nextBytes(body); // the server would compress zeros
      try (Connection connection = node.connections().take()) {
        inbox.accept(
            connection,
            List.of(
                new InboxMessage("big", "m" + i, "signal", "approved", body, Optional.empty())));
      }
    }
    PolledMessages polled = new PolledMessages();

    List<String> read = new ArrayList<>();
    NodePoll poll = null;
    for (int i = 0; i < 3; i++) {
      poll = node.poll(10, polled::isKnown);
      polled.fresh(poll.inbox().waiting());
      assertThat(poll.inbox().read()).hasSize(1);
      assertThat(poll.inbox().hasMore()).isEqualTo(i < 2);
      read.addAll(ids(poll));
    }

    assertThat(read).containsExactly("m1", "m2", "m3");
    poll = node.poll(10, polled::isKnown);
    assertThat(poll.inbox().read()).isEmpty();
    assertThat(poll.inbox().waiting()).hasSize(3);
  }

  @Test
  void messages_of_cases_that_wait_for_their_batch_do_not_fill_the_poll() throws Exception {
    PostgresNode node = cluster.join();
    for (int i = 1; i <= 5; i++) {
      client.send(signal("suspect-" + i, "m").toCase());
    }
    client.send(signal("other", "m").toCase());
    TestServer.execute(
        "insert into "
            + cluster.schema
            + ".suspects (case_id, slot, batch) select 'suspect-' || g, 0, 1"
            + " from generate_series(1, 5) g");

    NodePoll poll = node.poll(3);

    assertThat(poll.inbox().waiting()).containsExactly(new PolledMessages.Key("other", "m"));
  }

  @Test
  void a_message_that_is_held_is_tried_after_growing_pauses_and_logged_once() {
    HeldMessages held = new HeldMessages();
    PolledMessages.Key key = new PolledMessages.Key("order-1", "m1");

    List<HeldMessages.Pause> pauses = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      pauses.add(held.hold(key, "program 1 is missing"));
    }

    assertThat(pauses)
        .extracting(HeldMessages.Pause::seconds)
        .containsExactly(2L, 4L, 8L, 16L, 32L, 64L, 64L);
    assertThat(pauses).extracting(HeldMessages.Pause::isNew).containsOnlyOnce(true);
    assertThat(held.hold(key, "another reason")).isEqualTo(new HeldMessages.Pause(2, true));
    held.clear();
    assertThat(held.hold(key, "another reason")).isEqualTo(new HeldMessages.Pause(2, true));
  }

  @Test
  void a_node_that_gets_a_program_polls_what_it_has_held_at_once() throws Exception {
    PostgresNode node = cluster.join();
    client.send(signal("order-1", "m1").toCase());
    try (Connection connection = node.connections().take()) {
      inbox.hold(connection, new PolledMessages.Key("order-1", "m1"), "no program", 60);
    }
    assertThat(node.poll(10).inbox().waiting()).isEmpty();

    try (Connection connection = node.connections().take()) {
      inbox.retryHeld(connection, node.id());
    }

    assertThat(ids(node.poll(10))).containsExactly("m1");
  }
}
