package dev.damask.store.postgres;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.event.Reply;
import dev.damask.store.CaseStatus;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Several engines on one database.
@Timeout(60)
final class ClusterEngineTest {
  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition waiting =
      workflow(
          "waiting",
          defer(
              on("go", task("end", c -> c.with("ended", true))),
              after(Duration.ofDays(2), skip())));

  @AfterEach
  void close() {
    nodes.close();
  }

  private static List<String> ids(int count) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add("case-" + i);
    }
    return ids;
  }

  @Test
  void two_nodes_share_the_slots_and_each_reaches_all_cases() throws InterruptedException {
    Engine one = nodes.open(waiting);
    ids(20).forEach(id -> one.start(waiting, id, Context.of("n", 1)));
    Engine two = nodes.open(waiting);
    nodes.awaitBalance(2);

    for (String id : ids(20)) {
      assertThat(two.status(id).status()).isEqualTo(CaseStatus.WAITING);
      CaseReply reply = (id.hashCode() % 2 == 0 ? one : two).signal(id, "go", Map.of());
      assertThat(reply.kind()).as(id).isEqualTo(Reply.ACCEPTED);
    }
    for (String id : ids(20)) {
      CaseResult<Context> end = new CaseResult.Completed<>(Context.of("n", 1, "ended", true));
      assertThat(one.await(id)).isEqualTo(end);
      assertThat(two.await(id)).isEqualTo(end);
    }
    assertThat(nodes.owners().values()).containsExactly(2_048, 2_048);
    assertThat(one.verify()).isEmpty();
  }

  @Test
  void a_case_is_started_on_the_node_that_owns_its_slot() {
    Engine one = nodes.open(waiting);
    Engine two = nodes.open(waiting);
    nodes.awaitBalance(2);

    ids(20)
        .forEach(
            id -> assertThat(one.start(waiting, id, Context.empty()).reply().isNew()).isTrue());
    ids(20)
        .forEach(
            id -> assertThat(two.start(waiting, id, Context.empty()).reply().isNew()).isFalse());

    assertThat(nodes.query("select count(distinct commit_node) from @.cases")).containsExactly("2");
    assertThat(nodes.query("select count(*) from @.inbox")).containsExactly("0");
  }

  @Test
  void a_node_without_the_code_shows_a_case_and_keeps_its_signals() throws Exception {
    try (Engine one = nodes.open(waiting)) {
      one.start(waiting, "case-1", Context.of("n", 1));
    }

    try (Engine other = nodes.open()) {
      assertThat(other.status("case-1").places()).containsExactly("go");
      assertThat(other.status("case-1").context()).isEqualTo(Context.of("n", 1));
      assertThat(other.signal("case-1", "go", Map.of("by", "eve")).kind())
          .isEqualTo(Reply.BUFFERED);
    }

    Engine again = nodes.open(waiting);
    assertThat(again.await("case-1"))
        .isEqualTo(new CaseResult.Completed<>(Context.of("n", 1, "by", "eve").with("ended", true)));
  }

  @Test
  void a_node_that_leaves_gives_its_cases_to_the_others() {
    Engine one = nodes.open(waiting);
    Engine two = nodes.open(waiting);
    nodes.awaitBalance(2);
    ids(20).forEach(id -> one.start(waiting, id, Context.empty()));

    two.close();

    ids(20).forEach(id -> assertThat(one.signal(id, "go", Map.of()).isAccepted()).isTrue());
    assertThat(nodes.owners().values()).containsExactly(4_096);
  }

  @Test
  void a_node_that_is_cut_off_is_taken_over_and_joins_again() throws Exception {
    TcpProxy proxy = nodes.proxy();
    Engine cut = nodes.open(proxy, waiting);
    Engine other = nodes.open(waiting);
    nodes.awaitBalance(2);
    ids(20).forEach(id -> other.start(waiting, id, Context.empty()));

    proxy.cutAll();
    ids(20).forEach(id -> assertThat(other.signal(id, "go", Map.of()).isAccepted()).isTrue());
    // Its shards find that they are paused; what they were asked for reaches the next owners.
    List<CompletableFuture<?>> late = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      late.add(cut.startAsync(waiting, "late-" + i, Context.empty()));
    }
    proxy.restore();
    nodes.awaitBalance(2);
    late.forEach(start -> assertThat(start).succeedsWithin(Duration.ofSeconds(30)));

    assertThat(nodes.query("select count(*) from @.node where fenced")).containsExactly("1");
    ids(20).forEach(id -> assertThat(cut.status(id).status()).isEqualTo(CaseStatus.COMPLETED));
    assertThat(cut.start(waiting, "later", Context.empty()).reply().isNew()).isTrue();
    assertThat(cut.signal("later", "go", Map.of()).isAccepted()).isTrue();
    cut.close();
  }

  @Test
  void an_engine_can_be_closed_while_the_database_is_away() throws Exception {
    TcpProxy proxy = nodes.proxy();
    Engine cut = nodes.open(proxy, waiting);
    cut.start(waiting, "case-1", Context.empty());

    proxy.cutAll();
    var start = cut.startAsync(waiting, "case-2", Context.empty());
    cut.close();

    assertThat(start).isCompletedExceptionally();
    Engine next = nodes.open(waiting);
    TestNodes.await(() -> nodes.owners().containsKey(2), () -> nodes.owners().toString());
    assertThat(next.signal("case-1", "go", Map.of()).isAccepted()).isTrue();
  }

  @Test
  void the_database_is_survived_without_a_fence_when_it_is_away_for_all_nodes() throws Exception {
    TcpProxy proxy = nodes.proxy();
    Engine one = nodes.open(proxy, waiting);
    Engine two = nodes.open(proxy, waiting);
    nodes.awaitBalance(2);
    ids(8).forEach(id -> one.start(waiting, id, Context.empty()));

    proxy.cutAll();
    long end = System.nanoTime() + 2 * TestNodes.LEASE.toNanos();
    TestNodes.await(() -> System.nanoTime() - end > 0, () -> "two leases");
    proxy.restore();

    ids(8).forEach(id -> assertThat(two.signal(id, "go", Map.of()).isAccepted()).isTrue());
    assertThat(nodes.query("select count(*) from @.node where fenced")).containsExactly("0");
    one.close();
    two.close();
  }

  @Test
  void a_refusal_of_the_owner_reaches_the_caller() {
    Engine one = nodes.open(waiting);
    Engine two = nodes.open(waiting);
    nodes.awaitBalance(2);

    for (String id : ids(8)) {
      assertThatThrownBy(() -> one.signal(id, "go", Map.of()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("there is no case " + id);
      assertThatThrownBy(() -> two.await(id)).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
