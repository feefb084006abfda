package dev.damask.store.postgres;

import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.ops.ScheduleView;
import dev.damask.term.Schedule;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Schedules of a cluster: every node may change them, and the owner of the name fires them.
@Timeout(120)
final class ClusterSchedulesTest {
  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition tick = workflow("tick", task("t", c -> c));

  @AfterEach
  void close() {
    nodes.close();
  }

  private long cases(String prefix) {
    return Long.parseLong(
        nodes.query("select count(*) from @.cases where case_id like '" + prefix + "%'").get(0));
  }

  @Test
  void a_schedule_fires_soon_whichever_node_put_it() {
    Engine one = nodes.open(tick);
    Engine two = nodes.open(tick);
    nodes.awaitBalance(2);

    List<String> names = List.of("alpha", "beta", "gamma", "delta");
    for (String name : names) {
      one.schedules().put(name, Schedule.every(Duration.ofSeconds(1)), tick, Context.empty());
    }

    for (String name : names) {
      TestNodes.await(() -> cases(name) >= 2, () -> name + " " + two.schedules().list());
    }
    assertThat(two.schedules().list()).hasSize(4);
  }

  @Test
  void changes_of_two_nodes_at_once_are_both_kept() {
    Engine one = nodes.open(tick);
    Engine two = nodes.open(tick);
    nodes.awaitBalance(2);
    one.schedules().put("hourly", Schedule.every(Duration.ofHours(1)), tick, Context.empty());

    Set<String> triggered = new HashSet<>();
    for (int i = 0; i < 10; i++) {
      CompletableFuture<String> first = one.schedules().triggerAsync("hourly");
      CompletableFuture<String> second = two.schedules().triggerAsync("hourly");
      triggered.add(first.join());
      triggered.add(second.join());
    }
    two.schedules().pause("hourly");
    one.schedules().trigger("hourly");

    assertThat(triggered).hasSize(20);
    assertThat(cases("hourly")).isEqualTo(21);
    assertThat(one.schedules().get("hourly").map(ScheduleView::isPaused)).contains(true);
  }

  @Test
  void a_schedule_fires_once_for_each_time_when_its_node_is_taken_over() throws Exception {
    TcpProxy proxy = nodes.proxy();
    Engine cut = nodes.open(proxy, tick);
    Engine other = nodes.open(tick);
    nodes.awaitBalance(2);
    List<String> names = List.of("alpha", "beta", "gamma", "delta");
    names.forEach(name ->
        cut.schedules().put(name, Schedule.every(Duration.ofSeconds(1)), tick, Context.empty()));
    names.forEach(name -> TestNodes.await(() -> cases(name) >= 1, () -> name));

    proxy.cutAll();
    TestNodes.await(() -> nodes.owners().size() == 1, () -> nodes.owners().toString());
    List<Long> then = names.stream().map(this::cases).toList();

    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      long before = then.get(i);
      TestNodes.await(() -> cases(name) >= before + 2, () -> other.schedules().list().toString());
    }
    List<String> starts = new ArrayList<>(nodes.query("select case_id from @.cases"));
    assertThat(starts).doesNotHaveDuplicates();
    proxy.restore();
    cut.close();
  }
}
