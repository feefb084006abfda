package dev.damask.store.postgres;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.caller.MigrationResult;
import dev.damask.cases.Engine;
import dev.damask.cluster.NotAppliedException;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.store.CaseStatus;
import dev.damask.store.MessageReply;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Messages that the owner of a case applies: of engines that own nothing, and of SQL.
@Timeout(60)
final class ClusterInboxTest {
  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition waiting =
      workflow(
          "waiting",
          defer(
              on("go", task("end", c -> c.with("ended", true))),
              after(Duration.ofDays(2), skip())));
  private final WorkflowDefinition asking = workflow("asking", effect("ask"));

  @AfterEach
  void close() {
    nodes.close();
  }

  private String sql(String call) {
    return nodes.query("select @." + call).getFirst();
  }

  private MessageReply reply(String caseId, String messageId) throws InterruptedException {
    return PostgresClient.open(TestServer.source(), nodes.options)
        .await(caseId, messageId, Duration.ofSeconds(20))
        .orElseThrow();
  }

  @Test
  void a_client_that_owns_nothing_can_do_everything() throws InterruptedException {
    nodes.open(waiting, asking);
    Engine client = nodes.client(waiting, asking);

    assertThat(client.start(waiting, "one", Context.of("n", 1)).reply().isNew()).isTrue();
    assertThat(client.start(waiting, "one", Context.of("n", 1)).reply().isNew()).isFalse();
    assertThat(client.status("one").places()).containsExactly("go");
    assertThat(client.state("one").tokens()).isNotEmpty();
    assertThat(client.signal("one", "go", Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
    assertThat(client.await("one"))
        .isEqualTo(new CaseResult.Completed<>(Context.of("n", 1, "ended", true)));
    assertThat(client.signal("one", "go", Map.of()).kind()).isEqualTo(Reply.CASE_ENDED);

    client.start(asking, "two", Context.empty());
    assertThat(client.completeTask("two", "ask", Map.of("answer", 42)).isAccepted()).isTrue();
    assertThat(client.await("two")).isEqualTo(new CaseResult.Completed<>(Context.of("answer", 42)));
    client.start(asking, "three", Context.empty());
    assertThat(client.failTask("three", "ask", "no").isAccepted()).isTrue();
    assertThat(client.await("three")).isInstanceOf(CaseResult.Failed.class);
    client.start(asking, "four", Context.empty());
    assertThat(client.cancel("four", "case", "enough").isAccepted()).isTrue();
    assertThat(client.await("four")).isEqualTo(new CaseResult.Cancelled<>("case", "enough"));
    assertThat(client.retry("four").kind()).isEqualTo(Reply.REJECTED);
    assertThat(nodes.query("select count(*) from @.inbox")).containsExactly("0");
  }

  @Test
  void a_client_migrates_a_case() {
    WorkflowDefinition next =
        workflow(
            "waiting",
            defer(
                on("go", task("other", c -> c.with("other", true))),
                after(Duration.ofDays(2), skip())));
    nodes.open(waiting, next);
    Engine client = nodes.client(waiting);
    client.start(waiting, "one", Context.empty());

    MigrationResult moved = client.migrate("one", next, Mapping.NONE.task("end", "other"));

    assertThat(moved).isInstanceOf(MigrationResult.Moved.class);
    assertThat(client.signal("one", "go", Map.of()).isAccepted()).isTrue();
    assertThat(client.status("one").context()).isEqualTo(Context.of("other", true));
  }

  @Test
  void messages_of_sql_are_applied_and_answered() throws InterruptedException {
    Engine engine = nodes.open(waiting, asking);

    sql("damask_start('waiting', 'one', '{\"n\": 1}', 'm1')");
    assertThat(reply("one", "m1").answer()).isZero();
    sql("damask_signal('one', 'go', '{\"by\": \"eve\"}', 'm2')");
    assertThat(reply("one", "m2").answer()).isEqualTo(Reply.ACCEPTED.number());
    assertThat(engine.status("one").context())
        .isEqualTo(Context.of("n", 1, "by", "eve").with("ended", true));
    sql("damask_start('asking', 'two', '{}', 'm1')");
    reply("two", "m1");
    sql("damask_complete('two', 'ask', '{\"answer\": 42}', 'm2')");
    assertThat(reply("two", "m2").answer()).isEqualTo(Reply.ACCEPTED.number());
    assertThat(engine.await("two")).isEqualTo(new CaseResult.Completed<>(Context.of("answer", 42)));
    sql("damask_cancel('three', 'case', 'why', 'm1')");
    assertThat(reply("three", "m1"))
        .isEqualTo(new MessageReply(MessageReply.BAD_ARGUMENT, 0, "there is no case three"));
    sql("damask_signal('two', 'go', '[1]', 'm3')");
    assertThat(reply("two", "m3").detail()).contains("expected a JSON object, found a list");
  }

  @Test
  void a_message_that_was_applied_gets_the_same_answer_again() throws InterruptedException {
    Engine engine = nodes.open(asking);
    engine.start(asking, "one", Context.empty());

    sql("damask_complete('one', 'ask', '{\"answer\": 1}', 'm1')");
    assertThat(reply("one", "m1").answer()).isEqualTo(Reply.ACCEPTED.number());
    nodes.execute("delete from @.replies");
    sql("damask_complete('one', 'ask', '{\"answer\": 2}', 'm1')");

    assertThat(reply("one", "m1").answer()).isEqualTo(Reply.ACCEPTED.number());
    assertThat(engine.await("one")).isEqualTo(new CaseResult.Completed<>(Context.of("answer", 1)));
  }

  @Test
  void a_signal_with_the_message_id_of_another_way_counts_once() throws InterruptedException {
    Engine engine = nodes.open(waiting);
    engine.start(waiting, "one", Context.empty());
    assertThat(engine.signal("one", "go", Map.of(), "m1").isAccepted()).isTrue();

    sql("damask_signal('one', 'go', '{}', 'm1')");

    assertThat(reply("one", "m1").answer()).isEqualTo(Reply.ACCEPTED.number());
    assertThat(engine.status("one").revision()).isEqualTo(2);
  }

  @Test
  void a_start_whose_program_the_owner_lacks_waits_and_is_shown() throws InterruptedException {
    Engine engine = nodes.open(waiting);
    sql("damask_start('asking', 'one', '{}', 'm1')");

    TestNodes.await(
        () -> !nodes.query("select held from @.held_messages").isEmpty(), () -> "a held message");
    assertThat(nodes.query("select held from @.held_messages"))
        .containsExactly("node 1: workflow asking is unknown to this node");
    engine.register(asking);

    assertThat(reply("one", "m1").answer()).isZero();
    assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
  }

  /// A message that was let go before the next poll was taken for one that is being applied.
  @Test
  void programs_that_become_known_at_any_moment_are_not_missed() throws InterruptedException {
    Engine engine = nodes.open(waiting);

    for (int i = 0; i < 30; i++) {
      String caseId = "case-" + i;
      WorkflowDefinition late = workflow("late-" + i, effect("ask"));
      sql("damask_start('late-" + i + "', '" + caseId + "', '{}', 'm1')");
      String held = "select held from @.held_messages where case_id = '" + caseId + "'";
      TestNodes.await(() -> !nodes.query(held).isEmpty(), () -> "a held message of " + caseId);
      engine.register(late);

      assertThat(reply(caseId, "m1").answer()).isZero();
    }
  }

  @Test
  void a_caller_learns_that_a_message_is_accepted_and_not_yet_applied() {
    Engine client = nodes.client(nodes.options.withReplyTime(Duration.ofMillis(200)), waiting);

    assertThatThrownBy(() -> client.start(waiting, "one", Context.empty()))
        .isInstanceOf(NotAppliedException.class)
        .hasMessageContaining("is accepted, not yet applied");
    Engine engine = nodes.open(waiting);
    TestNodes.await(
        () -> nodes.query("select count(*) from @.cases").equals(java.util.List.of("1")),
        () -> "the case");
    assertThat(engine.signal("one", "go", Map.of()).isAccepted()).isTrue();
  }
}
