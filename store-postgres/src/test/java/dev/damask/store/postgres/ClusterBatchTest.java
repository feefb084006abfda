package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cluster.Slots;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// One case of a batch that the node must not commit: the others of the batch are committed.
@Timeout(120)
final class ClusterBatchTest {
  private static final int CASES = 24;
  private static final int LOST = CASES - 4; // far behind those that are in flight when it is lost

  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition waiting =
      workflow("waiting", defer(on("go", task("end", c -> c.with("ended", true)))));

  @AfterEach
  void close() {
    nodes.close();
  }

  /// Cases that a node owns, each in a slot of its own.
  private List<String> casesOf(int node) {
    Set<String> slots = new HashSet<>();
    for (String row : nodes.query("select slot from @.slot where owner = " + node)) {
      slots.add(row);
    }
    List<String> cases = new ArrayList<>();
    for (int i = 0; cases.size() < CASES; i++) {
      if (slots.remove(String.valueOf(Slots.of("case-" + i)))) {
        cases.add("case-" + i);
      }
    }
    return cases;
  }

  /// Signals all cases while no commit can be made, and executes SQL before the commits continue.
  private List<CompletableFuture<CaseReply>> signalled(
      Engine engine, List<String> cases, String meanwhile) throws SQLException {
    List<CompletableFuture<CaseReply>> replies = new ArrayList<>();
    List<Thread> callers = new ArrayList<>();
    nodes.execute("delete from @.replies"); // to starts before the node had its slots
    try (Connection blocker = TestServer.source().getConnection();
        Statement statement = blocker.createStatement()) {
      blocker.setAutoCommit(false);
      statement.execute(
          "lock table " + nodes.options.schema() + ".cases in share row exclusive mode");
      for (String id : cases) {
        CompletableFuture<CaseReply> reply = new CompletableFuture<>();
        callers.add(
            Thread.ofPlatform()
                .daemon()
                .start(() -> {
                  try {
                    reply.complete(engine.signal(id, "go", Map.of()));
                  } catch (RuntimeException e) {
                    reply.completeExceptionally(e);
                  }
                }));
        replies.add(reply);
        if (replies.size() == 1) {
          TestCluster.awaitWaiting(1); // the batches after this one wait for it
        }
      }
      TestNodes.await(
          () -> callers.stream().noneMatch(each -> each.getState() == Thread.State.RUNNABLE),
          () -> "all callers wait");
      statement.execute(meanwhile.replace("@.", nodes.options.schema() + "."));
      blocker.commit();
    }
    return replies;
  }

  private static CaseResult<Context> ended() {
    return new CaseResult.Completed<>(Context.of("ended", true));
  }

  @Test
  void a_case_whose_slot_has_moved_is_refused_and_the_others_of_its_batch_are_committed()
      throws Exception {
    Engine one = nodes.open(TestNodes.engineOptions().withShards(1), waiting);
    Engine two = nodes.open(waiting);
    nodes.awaitBalance(2);
    List<String> cases = casesOf(1);
    cases.forEach(id -> one.start(waiting, id, Context.empty()));
    String moved = cases.get(LOST);

    List<CompletableFuture<CaseReply>> replies =
        signalled(
            one,
            cases,
            "update @.slot set owner = 2 where slot = "
                + Slots.of(moved)
                + "; update @.node set epoch = epoch + 1 where id = 1;"
                + " update @.cluster set ownership = ownership + 1");

    for (CompletableFuture<CaseReply> each : replies) {
      assertThat(each.join().isAccepted()).isTrue();
    }
    for (String id : cases) {
      assertThat(two.await(id)).isEqualTo(ended());
    }
    // Only the signal to the case that has moved took the way through the inbox.
    assertThat(nodes.query("select case_id from @.replies")).containsExactly(moved);
    assertThat(nodes.query("select case_id from @.cases where commit_node = 2"))
        .containsExactly(moved);
  }

  @Test
  void a_case_that_another_node_has_written_is_read_again_and_the_others_are_committed()
      throws Exception {
    Engine one = nodes.open(TestNodes.engineOptions().withShards(1), waiting);
    List<String> cases = casesOf(1);
    cases.forEach(id -> one.start(waiting, id, Context.empty()));
    String gone = cases.get(LOST);

    List<CompletableFuture<CaseReply>> replies =
        signalled(one, cases, "delete from @.cases where case_id = '" + gone + "'");

    for (int i = 0; i < CASES; i++) {
      if (i == LOST) {
        assertThatThrownBy(replies.get(i)::join).hasMessageContaining("there is no case " + gone);
      } else {
        assertThat(replies.get(i).join().isAccepted()).isTrue();
        assertThat(one.await(cases.get(i))).isEqualTo(ended());
      }
    }
    assertThat(nodes.query("select case_id from @.replies")).containsExactly(gone);
  }
}
