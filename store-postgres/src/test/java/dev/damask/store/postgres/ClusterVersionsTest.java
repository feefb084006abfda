package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.store.StoreException;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Two versions of a workflow, and of Damask, in one cluster.
@Timeout(120)
final class ClusterVersionsTest {
  private static final int CASES = 10;

  private final TestNodes nodes = new TestNodes();

  @AfterEach
  void close() {
    nodes.close();
  }

  private static WorkflowDefinition version(int number) {
    return workflow(
        "order", defer(on("go", task("end" + number, c -> c.with("version", (long) number)))));
  }

  private static void signal(Engine engine, String prefix) {
    for (int i = 0; i < CASES; i++) {
      assertThat(engine.signal(prefix + i, "go", Map.of()).isAccepted()).isTrue();
    }
  }

  private static void expect(Engine engine, String prefix, long version) throws Exception {
    for (int i = 0; i < CASES; i++) {
      assertThat(engine.await(prefix + i, Duration.ofSeconds(30)).orElseThrow())
          .isEqualTo(new CaseResult.Completed<>(Context.of("version", version)));
    }
  }

  private static void start(Engine engine, WorkflowDefinition workflow, String prefix) {
    for (int i = 0; i < CASES; i++) {
      engine.start(workflow, prefix + i, Context.empty());
    }
  }

  @Test
  void cases_of_both_versions_run_while_nodes_are_replaced_and_new_nodes_know_both()
      throws Exception {
    Engine one = nodes.open(version(1));
    Engine two = nodes.open(version(1));
    nodes.awaitBalance(2);
    start(one, version(1), "old-");

    Engine three = nodes.open(version(1), version(2));
    nodes.awaitBalance(3);
    one.close();
    Engine four = nodes.open(version(1), version(2));
    nodes.awaitBalance(3);
    two.close();
    nodes.awaitBalance(2);
    start(three, version(2), "new-");
    signal(four, "old-");
    signal(three, "new-");

    expect(three, "old-", 1);
    expect(four, "new-", 2);
  }

  @Test
  void a_case_whose_owner_lacks_its_program_waits_for_a_node_that_has_it() throws Exception {
    Engine old = nodes.open(version(1));
    Engine young = nodes.open(version(1), version(2));
    nodes.awaitBalance(2);
    List<Thread> starts = new ArrayList<>();
    for (int i = 0; i < CASES; i++) {
      String id = "new-" + i;
      starts.add(Thread.ofVirtual().start(() -> young.start(version(2), id, Context.empty())));
    }
    TestNodes.await(
        () ->
            !nodes
                .query(
                    "select held from @.held_messages where held like 'node 1: program % is"
                        + " missing%'")
                .isEmpty(),
        () -> nodes.query("select held from @.inbox").toString());

    old.close();

    for (Thread each : starts) {
      each.join();
    }
    signal(young, "new-");
    expect(young, "new-", 2);
    assertThat(nodes.query("select count(*) from @.inbox")).containsExactly("0");
  }

  @Test
  void nodes_work_while_the_schema_is_upgraded_and_older_ones_are_refused_when_it_is_finished()
      throws Exception {
    Engine one = nodes.open(version(1));
    start(one, version(1), "before-");
    List<String> next = new ArrayList<>(PostgresSchema.shipped());
    next.add("create table @.of_the_next_version (id int4); alter table @.cases add more int4;");
    PostgresSchema upgraded =
        new PostgresSchema(TestServer.source(), nodes.options, next, () -> 77);

    assertThat(upgraded.upgrade()).isTrue();
    start(one, version(1), "during-"); // its statements name their columns
    signal(one, "before-");
    Engine two = nodes.open(version(1));
    nodes.awaitBalance(2);
    signal(two, "during-");
    expect(one, "before-", 1);
    expect(two, "during-", 1);
    assertThatThrownBy(upgraded::finish)
        .hasMessageContaining(": node 1 (")
        .hasMessageEndingWith("; replace it first");
    one.close();
    int version = PostgresSchema.VERSION + 1;
    try (PostgresNode young = PostgresNode.join(TestServer.source(), nodes.options, version)) {
      assertThat(nodes.query("select id, version from @.node order by id"))
          .containsExactly("2 " + (version - 1), young.id() + " " + version);
      assertThatThrownBy(upgraded::finish).hasMessageContaining(": node 2 (");
      two.close();
      upgraded.finish();
    }

    assertThatThrownBy(() -> nodes.open(version(1)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("use the version of Damask that upgraded it");
  }
}
