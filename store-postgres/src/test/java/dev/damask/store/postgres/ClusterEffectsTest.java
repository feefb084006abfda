package dev.damask.store.postgres;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cluster.CaseMessage;
import dev.damask.effect.EffectCall;
import dev.damask.effect.Receipt;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.task.Expression;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Calls that run while their cases move to another node.
@Timeout(60)
final class ClusterEffectsTest {
  private static final int CASES = 12;

  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition once =
      workflow("once", effect("pay").delivery(Delivery.AT_MOST_ONCE));
  private final WorkflowDefinition keyed = workflow("keyed", effect("pay"));
  private final CountDownLatch answer = new CountDownLatch(1);
  private final Queue<String> called = new ConcurrentLinkedQueue<>();
  private final Queue<String> interrupted = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    answer.countDown();
    nodes.close();
  }

  private EngineOptions options(String node) {
    return TestNodes.engineOptions()
        .withHandler(
            "pay",
            call -> {
              called.add(node + " " + call.caseId());
              await(call);
              return Map.of("by", node);
            });
  }

  private void await(EffectCall call) throws InterruptedException {
    try {
      answer.await();
    } catch (InterruptedException e) {
      interrupted.add(call.caseId());
      throw e;
    }
  }

  private static List<String> ids() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < CASES; i++) {
      ids.add("case-" + i);
    }
    return ids;
  }

  private void awaitCalls(int count) {
    TestNodes.await(() -> called.size() == count, called::toString);
  }

  @Test
  void calls_stay_where_they_run_and_their_results_reach_the_new_owner() throws Exception {
    Engine one = nodes.open(options("one"), once);
    ids().forEach(id -> one.start(once, id, Context.empty()));
    awaitCalls(CASES);

    Engine two = nodes.open(options("two"), once);
    nodes.awaitBalance(2);
    answer.countDown();

    for (String id : ids()) {
      assertThat(two.await(id))
          .as(id)
          .isEqualTo(new CaseResult.Completed<>(Context.of("by", "one")));
    }
    assertThat(called).hasSize(CASES).allMatch(call -> call.startsWith("one"));
  }

  @Test
  void a_cancellation_by_the_new_owner_interrupts_the_call_on_the_node_that_makes_it() {
    Engine one = nodes.open(options("one"), once);
    ids().forEach(id -> one.start(once, id, Context.empty()));
    awaitCalls(CASES);
    Engine two = nodes.open(options("two"), once);
    nodes.awaitBalance(2);

    ids().forEach(id -> assertThat(two.cancel(id).isAccepted()).isTrue());

    TestNodes.await(() -> interrupted.size() == CASES, interrupted::toString);
    assertThat(called).hasSize(CASES);
  }

  @Test
  void a_call_is_made_again_only_when_its_node_is_fenced() throws Exception {
    TcpProxy proxy = nodes.proxy();
    Engine cut = nodes.open(options("cut"), proxy, keyed, once);
    ids().forEach(id -> cut.start(keyed, id, Context.empty()));
    cut.start(once, "once", Context.empty());
    awaitCalls(CASES + 1);
    Engine other = nodes.open(options("other"), keyed, once);
    nodes.awaitBalance(2);
    assertThat(called).hasSize(CASES + 1);

    proxy.cutAll();
    awaitCalls(2 * CASES + 1);
    answer.countDown();

    for (String id : ids()) {
      assertThat(other.await(id))
          .as(id)
          .isEqualTo(new CaseResult.Completed<>(Context.of("by", "other")));
    }
    assertThat(other.await("once")).isInstanceOf(CaseResult.Failed.class);
    assertThat(other.receipts("once"))
        .extracting(receipt -> receipt.body().result())
        .containsExactly(new Receipt.Result.Indeterminate());
    proxy.restore();
    cut.close();
  }

  /// As after a node that has left: its result is stored, and its next owner has not applied it.
  @Test
  void a_call_whose_result_is_in_the_inbox_is_not_an_unknown_outcome() throws Exception {
    TcpProxy proxy = nodes.proxy();
    Engine cut = nodes.open(options("cut"), proxy, once);
    ids().forEach(id -> cut.start(once, id, Context.empty()));
    awaitCalls(CASES);
    Engine other = nodes.open(options("other"), once);
    nodes.awaitBalance(2);
    String id =
        nodes
            .query(
                "select i.case_id from @.intents i join @.slot s on s.slot = i.slot"
                    + " where s.owner = 2 order by 1")
            .getFirst();
    long effect =
        Long.parseLong(
            nodes.query("select effect from @.intents where case_id = '%s'".formatted(id)).get(0));
    String report = CaseMessage.reportId(new EffectId(effect), 1);
    nodes.execute(
        "insert into @.inbox (case_id, message_id, slot, kind, held_at) values"
            + " ('%s', '%s', @.damask_slot('%s'), 'report', now() + interval '1 day')"
                .formatted(id, report, id));

    proxy.cutAll();
    for (String each : ids()) {
      if (!each.equals(id)) {
        assertThat(other.await(each)).as(each).isInstanceOf(CaseResult.Failed.class);
      }
    }

    assertThat(other.receipts(id)).isEmpty();
    proxy.restore();
    cut.close();
  }

  @Test
  void a_call_that_was_made_again_stays_when_its_case_moves_once_more() throws Exception {
    TcpProxy proxy = nodes.proxy();
    Engine cut = nodes.open(options("cut"), proxy, keyed);
    ids().forEach(id -> cut.start(keyed, id, Context.empty()));
    awaitCalls(CASES);
    nodes.open(options("other"), keyed);
    nodes.awaitBalance(2);
    proxy.cutAll();
    awaitCalls(2 * CASES);

    Engine third = nodes.open(options("third"), keyed);
    nodes.awaitBalance(2);
    answer.countDown();

    for (String id : ids()) {
      assertThat(third.await(id))
          .as(id)
          .isEqualTo(new CaseResult.Completed<>(Context.of("by", "other")));
    }
    assertThat(called).noneMatch(call -> call.startsWith("third"));
    proxy.restore();
    cut.close();
  }

  /// The node that tries the cases of a dead one out gets slots again meanwhile.
  @Test
  void a_case_that_is_tried_out_hears_its_result_when_other_slots_come_back() throws Exception {
    try (TcpProxy proxy = nodes.proxy()) {
      Engine cut = nodes.open(options("cut"), proxy, keyed);
      ids().forEach(id -> cut.start(keyed, id, Context.empty()));
      awaitCalls(CASES);
      Engine other = nodes.open(options("other"), keyed);
      nodes.awaitBalance(2);
      proxy.cutAll();
      awaitCalls(2 * CASES);

      Engine guest = nodes.open(options("guest"), keyed);
      nodes.awaitBalance(2);
      guest.close();
      nodes.awaitBalance(1);
      answer.countDown();

      for (String id : ids()) {
        assertThat(other.await(id, Duration.ofSeconds(30)))
            .as(id)
            .contains(new CaseResult.Completed<>(Context.of("by", "other")));
      }
      proxy.restore();
      cut.close();
    }
  }

  @Test
  void a_key_is_free_on_the_node_that_called_after_the_case_has_moved() throws Exception {
    var key = Expression.named("key", c -> String.valueOf(c.get("key")));
    WorkflowDefinition same = workflow("same", effect("pay").key(key));
    Engine one = nodes.open(options("one"), same);
    ids().forEach(id -> one.start(same, id, Context.of("key", id)));
    awaitCalls(CASES);
    Engine two = nodes.open(options("two"), same);
    nodes.awaitBalance(2);
    answer.countDown();
    for (String id : ids()) {
      assertThat(two.await(id)).as(id).isInstanceOf(CaseResult.Completed.class);
    }

    ids().forEach(id -> one.start(same, id + "-again", Context.of("key", id)));

    for (String id : ids()) {
      assertThat(one.await(id + "-again", Duration.ofSeconds(20)))
          .as(id)
          .contains(new CaseResult.Completed<>(Context.of("key", id).with("by", "one")));
    }
    assertThat(called).hasSize(CASES);
  }

  @Test
  void effects_with_one_key_of_a_user_are_performed_once_in_the_whole_cluster() throws Exception {
    var key = Expression.named("key", _ -> "the key");
    WorkflowDefinition same = workflow("same", effect("pay").key(key));
    Engine one = nodes.open(options("one"), same);
    Engine two = nodes.open(options("two"), same);
    nodes.awaitBalance(2);

    ids().forEach(id -> one.start(same, id, Context.empty()));
    awaitCalls(1);
    answer.countDown();

    for (String id : ids()) {
      assertThat(two.await(id)).as(id).isInstanceOf(CaseResult.Completed.class);
    }
    assertThat(called).hasSize(1);
    assertThat(nodes.query("select count(*) from @.key_claims")).containsExactly("0");
  }

  @Test
  void a_node_that_leaves_finishes_its_calls() throws Exception {
    Engine one = nodes.open(options("one").withGrace(java.time.Duration.ofSeconds(20)), once);
    Engine two = nodes.open(options("two"), once);
    nodes.awaitBalance(2);
    ids().forEach(id -> two.start(once, id, Context.empty()));
    awaitCalls(CASES);

    Thread closing = Thread.ofVirtual().start(one::close);
    answer.countDown();
    closing.join();

    for (String id : ids()) {
      assertThat(two.await(id)).as(id).isInstanceOf(CaseResult.Completed.class);
    }
    assertThat(called).hasSize(CASES);
  }
}
