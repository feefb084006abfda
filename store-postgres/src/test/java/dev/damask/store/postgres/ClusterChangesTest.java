package dev.damask.store.postgres;

import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.Actor;
import dev.damask.caller.StaleRevisionException;
import dev.damask.cases.Engine;
import dev.damask.cluster.CaseChanges;
import dev.damask.ops.RequestKeys;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What servers on a cluster share: the changes of all cases, required revisions and the keys of
/// requests.
@Timeout(60)
final class ClusterChangesTest {
  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition order =
      workflow("order", take("go"), take("go")).withPlaces(Place.external("go"));

  @AfterEach
  void close() {
    nodes.close();
  }

  @Test
  void a_client_reads_the_changes_of_all_nodes_in_one_order_and_continues_after_a_cursor() {
    Engine one = nodes.open(order);
    Engine two = nodes.open(order);
    CaseChanges changes = nodes.client(order).changes().orElseThrow();
    String start = changes.start();
    for (int i = 0; i < 10; i++) {
      (i % 2 == 0 ? one : two).start(order, "c" + i, Context.empty());
    }

    List<CaseChanges.Change> all = awaited(changes, start, 10);
    one.signal("c3", "go", Map.of());
    List<CaseChanges.Change> more = awaited(changes, all.getLast().cursor(), 1);

    assertThat(all).extracting(each -> each.event().caseId()).hasSize(10).doesNotHaveDuplicates();
    assertThat(all).isSortedAccordingTo((a, b) -> changes.compare(a.cursor(), b.cursor()));
    assertThat(more.getFirst().event().caseId()).isEqualTo("c3");
    assertThat(more.getFirst().event().revision()).isEqualTo(2);
    assertThat(two.changes().orElseThrow().after(all.getFirst().cursor(), 100).orElseThrow())
        .hasSize(10);
  }

  private static List<CaseChanges.Change> awaited(CaseChanges changes, String after, int count) {
    List<CaseChanges.Change> all = new ArrayList<>();
    String cursor = after;
    while (all.size() < count) {
      all.addAll(changes.after(cursor, 3).orElseThrow());
      cursor = all.isEmpty() ? after : all.getLast().cursor();
    }
    return all;
  }

  @Test
  void without_a_watcher_nothing_is_written_and_an_older_cursor_has_ended() {
    Engine one = nodes.open(order);
    one.start(order, "a", Context.empty());
    assertThat(nodes.query("select count(*) from @.changes")).containsExactly("0");
    CaseChanges changes = one.changes().orElseThrow();
    String start = changes.start();
    one.start(order, "b", Context.empty());
    assertThat(awaited(changes, start, 1)).hasSize(1);

    nodes.execute("update @.watch set until = 0");
    one.start(order, "c", Context.empty());
    changes.watch();

    assertThat(changes.after(start, 10)).isEmpty();
    assertThat(changes.after(changes.start(), 10)).isEqualTo(Optional.of(List.of()));
  }

  @Test
  void a_start_is_after_every_transaction_that_began_before_the_watch() throws Exception {
    Engine one = nodes.open(order);
    CaseChanges changes = one.changes().orElseThrow();
    FutureTask<String> start = new FutureTask<>(changes::start);
    try (Connection older = TestServer.source().getConnection();
        Statement statement = older.createStatement()) {
      older.setAutoCommit(false);
      statement.execute("select pg_current_xact_id()");
      Thread.ofVirtual().start(start);
      assertThatThrownBy(() -> start.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      older.commit();
    }
    String cursor = start.get();
    one.start(order, "a", Context.empty());

    assertThat(awaited(changes, cursor, 1)).hasSize(1);
  }

  @Test
  void old_changes_are_removed_and_their_cursors_have_ended() {
    Engine one = nodes.open(order);
    CaseChanges changes = one.changes().orElseThrow();
    String start = changes.start();
    one.start(order, "a", Context.empty());
    List<CaseChanges.Change> first = awaited(changes, start, 1);

    nodes.execute("update @.changes set at = 0");
    changes.watch();

    assertThat(changes.after(start, 10)).isEmpty();
    assertThat(changes.after(first.getFirst().cursor(), 10)).isEqualTo(Optional.of(List.of()));
    assertThatThrownBy(() -> changes.after("soon", 10))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_change_that_requires_a_revision_is_compared_by_the_owner_of_the_case() {
    nodes.open(order);
    Engine client = nodes.client(order);
    client.start(order, "one", Context.empty());
    Actor ann = Actor.named("ann").onlyAt(1);

    client.as(ann, e -> e.signal("one", "go", Map.of()));

    assertThatThrownBy(() -> client.as(ann, e -> e.signal("one", "go", Map.of())))
        .isInstanceOfSatisfying(
            StaleRevisionException.class, e -> assertThat(e.revision()).isEqualTo(2));
    assertThat(client.status("one").revision()).isEqualTo(2);
  }

  @Test
  void the_reply_to_a_request_is_known_at_every_node() {
    nodes.open(order);
    RequestKeys one = nodes.client(order).requestKeys();
    RequestKeys two = nodes.client(order).requestKeys();

    assertThat(one.begin("k", "body").state()).isEqualTo(RequestKeys.State.NEW);
    assertThat(two.begin("k", "body").state()).isEqualTo(RequestKeys.State.OPEN);
    one.keep("k", "body", "reply");

    assertThat(two.begin("k", "body").reply()).isEqualTo("reply");
  }
}
