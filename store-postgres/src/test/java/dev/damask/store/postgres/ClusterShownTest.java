package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.effect.EffectException;
import dev.damask.event.Reply;
import dev.damask.store.MessageReply;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What people see in the database, and the SQL function that migrates a case.
@Timeout(120)
final class ClusterShownTest {
  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition order = ending("order", "end");
  private final WorkflowDefinition other = ending("other", "end");

  @AfterEach
  void close() {
    nodes.close();
  }

  private static WorkflowDefinition ending(String name, String task) {
    return workflow(name, defer(on("go", task(task, c -> c.with("by", task)))));
  }

  private List<String> missing() {
    return nodes.query("select node, workflow, cases from @.missing_programs order by node");
  }

  private void awaitMissing(String... rows) {
    TestNodes.await(() -> missing().equals(List.of(rows)), () -> missing().toString());
  }

  @Test
  void cases_whose_owner_lacks_their_program_are_shown_until_it_has_it() throws Exception {
    try (Engine before = nodes.open(order, other)) {
      for (int i = 0; i < 3; i++) {
        before.start(order, "order-" + i, Context.empty());
      }
      before.start(other, "other-1", Context.empty());
      awaitMissing();
    }

    Engine after = nodes.open(other);
    awaitMissing("2 order 3");
    assertThat(after.status("order-0").report()).isNotEmpty();
    after.register(order);
    awaitMissing();

    assertThat(after.signal("order-0", "go", Map.of()).isAccepted()).isTrue();
    assertThat(after.await("order-0"))
        .isEqualTo(new CaseResult.Completed<>(Context.of("by", "end")));
  }

  @Test
  void a_fenced_node_is_listed_for_a_day() {
    PostgresNode dead = PostgresNode.join(TestServer.source(), nodes.options);
    dead.close();
    nodes.open(order);
    TestNodes.await(
        () ->
            nodes.query("select id, fenced from @.nodes order by id").equals(List.of("1 t", "2 f")),
        () -> nodes.query("select * from @.nodes").toString());

    nodes.execute("update @.node set fenced_at = fenced_at - interval '23 hours'");
    nodes.open(order);
    assertThat(nodes.query("select id from @.nodes order by id")).containsExactly("1", "2", "3");
    nodes.execute("update @.node set fenced_at = fenced_at - interval '2 hours'");
    nodes.open(order);

    assertThat(nodes.query("select id from @.nodes order by id")).containsExactly("2", "3", "4");
    assertThat(nodes.query("select node from @.last_commit order by node"))
        .containsExactly("2", "3", "4");
  }

  /// A version before may have fenced it.
  @Test
  void a_fenced_node_without_a_time_is_listed_for_a_day_from_now() {
    PostgresNode dead = PostgresNode.join(TestServer.source(), nodes.options);
    dead.close();
    nodes.execute("update @.node set fenced = true");
    nodes.execute("update @.slot set owner = 0");
    nodes.open(order);

    assertThat(
            nodes.query(
                "select id from @.node where fenced_at > clock_timestamp() - interval '1 hour'"))
        .containsExactly("1");
  }

  @Test
  void a_case_is_migrated_by_sql() throws Exception {
    WorkflowDefinition next = ending("order", "finish");
    Engine engine = nodes.open(order);
    engine.start(order, "one", Context.empty());
    engine.register(next);

    sql("damask_migrate('one', 'order', '{\"tasks\": {\"end\": \"finish\"}}', 'm1')");
    MessageReply moved = reply("one", "m1");
    assertThat(moved.detail()).isEmpty();
    assertThat(moved.answer()).isEqualTo(Reply.ACCEPTED.number());
    sql("damask_migrate('one', 'order', '{\"tasks\": 7}', 'm2')");
    assertThat(reply("one", "m2"))
        .isEqualTo(
            new MessageReply(
                MessageReply.BAD_ARGUMENT,
                0,
                "case one: 'tasks' must be an object of names, got 7"));
    sql("damask_migrate('one', 'unknown', '{}', 'm3')");
    TestNodes.await(
        () ->
            nodes
                .query("select held from @.held_messages")
                .equals(List.of("node 1: workflow unknown is unknown to this node")),
        () -> nodes.query("select held from @.inbox").toString());

    assertThat(engine.signal("one", "go", Map.of()).isAccepted()).isTrue();
    assertThat(engine.await("one"))
        .isEqualTo(new CaseResult.Completed<>(Context.of("by", "finish")));
  }

  @Test
  void replies_and_receipts_can_be_read() throws Exception {
    WorkflowDefinition calls = workflow("calls", seq(effect("pay"), effect("ship")));
    Engine engine =
        nodes.open(
            TestNodes.engineOptions()
                .withHandler("pay", _ -> Map.of("paid", "größer"))
                .withHandler(
                    "ship",
                    _ -> {
                      throw EffectException.permanent("closed", "on Sundays");
                    }),
            calls);

    sql("damask_start('calls', 'one', '{}', 'm1')");
    assertThat(reply("one", "m1").answer()).isZero();
    engine.await("one");
    sql("damask_signal('one', 'go', '{}', 'm2')");
    reply("one", "m2");

    assertThat(
            nodes.query(
                "select number, task, type, key like 'one%', attempt, result,"
                    + " received between now() - interval '1 hour' and now() + interval '1 hour'"
                    + " from @.receipt_list order by number"))
        .containsExactly("1 pay pay t 1 ok t", "2 ship ship t 1 failed t");
    assertThat(nodes.query("select message_id, outcome from @.reply_list order by message_id"))
        .containsExactly("m1 applied", "m2 case ended");
  }

  private void sql(String call) {
    nodes.execute("select @." + call);
  }

  private MessageReply reply(String caseId, String messageId) throws InterruptedException {
    return PostgresClient.open(TestServer.source(), nodes.options)
        .await(caseId, messageId, Duration.ofSeconds(20))
        .orElseThrow();
  }
}
