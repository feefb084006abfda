package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.set;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.family.ChildCase;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.task.Expression;
import dev.damask.term.Attribute;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Child cases and attributes across the nodes of a cluster.
@Timeout(120)
final class ClusterFamilyTest {
  private static final int PARENTS = 10;

  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition child =
      workflow("child", defer(on("go", skip())), set("answer", Expression.constant(42)));
  private final WorkflowDefinition parent =
      workflow("parent", ChildCase.task("run", child), set("done", Expression.constant(true)));

  @AfterEach
  void close() {
    nodes.close();
  }

  private List<String> children(int count) {
    List<String> found = new ArrayList<>();
    TestNodes.await(
        () -> {
          found.clear();
          found.addAll(
              nodes.query("select case_id from @.cases where workflow = 'child' order by 1"));
          return found.size() == count;
        },
        found::toString);
    return found;
  }

  private void start(Engine engine) {
    for (int i = 0; i < PARENTS; i++) {
      engine.start(parent, "parent-" + i, Context.empty());
    }
  }

  private static void expectDone(Engine engine) throws InterruptedException {
    for (int i = 0; i < PARENTS; i++) {
      CaseResult<Context> end = engine.await("parent-" + i, Duration.ofSeconds(40)).orElseThrow();
      assertThat(end)
          .as("parent-" + i)
          .isEqualTo(new CaseResult.Completed<>(Context.of("answer", 42L, "done", true)));
    }
  }

  @Test
  void a_child_runs_on_the_node_of_its_slot_and_its_parent_gets_the_result() throws Exception {
    Engine one = nodes.open(parent, child);
    Engine two = nodes.open(parent, child);
    nodes.awaitBalance(2);

    start(one);
    children(PARENTS)
        .forEach(id -> assertThat(two.signal(id, "go", Map.of()).isAccepted()).isTrue());

    expectDone(two);
    assertThat(
            nodes.query(
                "select count(*) from @.cases c, @.cases p where p.workflow = 'parent' and"
                    + " c.workflow = 'child' and c.commit_node <> p.commit_node"))
        .doesNotContain("0");
    assertThat(nodes.query("select count(*) from @.rows where kind = 'message'"))
        .containsExactly("0");
    assertThat(one.verify()).isEmpty();
  }

  @Test
  void no_message_between_parent_and_child_is_lost_with_a_node() throws Exception {
    TcpProxy proxy = nodes.proxy();
    Engine cut = nodes.open(proxy, parent, child);
    Engine other = nodes.open(parent, child);
    nodes.awaitBalance(2);

    start(other);
    proxy.cutAll();
    List<String> ids = children(PARENTS);
    ids.forEach(id -> assertThat(other.signal(id, "go", Map.of()).isAccepted()).isTrue());
    proxy.restore();

    expectDone(other);
    assertThat(children(PARENTS)).isEqualTo(ids);
    cut.close();
  }

  @Test
  void a_cancelled_parent_cancels_its_child_on_another_node() throws Exception {
    Engine one = nodes.open(parent, child);
    Engine two = nodes.open(parent, child);
    nodes.awaitBalance(2);
    start(one);
    List<String> ids = children(PARENTS);

    for (int i = 0; i < PARENTS; i++) {
      assertThat(two.cancel("parent-" + i).isAccepted()).isTrue();
    }

    for (String id : ids) {
      assertThat(one.await(id, Duration.ofSeconds(30)).orElseThrow())
          .isInstanceOf(CaseResult.Cancelled.class);
    }
  }

  @Test
  void cases_of_all_nodes_are_found_by_their_present_attributes_on_every_node() {
    Attribute price =
        new Attribute(
            "price",
            Attribute.Type.ANY,
            Expression.named("price", c -> c.get("price")),
            List.of("price"));
    WorkflowDefinition order =
        workflow("order", repeatWhile(_ -> true, defer(on("change", skip()), on("end", skip()))))
            .withAttributes(List.of(price));
    Engine one = nodes.open(order);
    Engine two = nodes.open(order);
    nodes.awaitBalance(2);
    for (int i = 0; i < PARENTS; i++) {
      one.start(order, "order-" + i, Context.of("price", (long) i));
    }

    for (int i = 0; i < PARENTS; i++) {
      two.signal("order-" + i, "change", Map.of("price", 100L + i));
    }

    for (Engine engine : List.of(one, two)) {
      assertThat(engine.list(CaseQuery.parse("price < 100")).cases()).isEmpty();
      assertThat(engine.list(CaseQuery.parse("price >= 105")).cases())
          .extracting(CaseRecord::caseId)
          .containsExactlyInAnyOrder("order-5", "order-6", "order-7", "order-8", "order-9");
    }
  }
}
