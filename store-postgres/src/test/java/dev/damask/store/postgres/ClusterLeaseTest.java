package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.store.CaseStatus;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A node that cannot raise its counter, although it can do everything else.
@Timeout(60)
final class ClusterLeaseTest {
  private final TestNodes nodes = new TestNodes();
  private final Queue<String> called = new ConcurrentLinkedQueue<>();
  private final CountDownLatch answer = new CountDownLatch(1);
  private final WorkflowDefinition paying =
      workflow("paying", seq(effect("wait"), defer(on("go", effect("pay")))));

  @AfterEach
  void close() {
    answer.countDown();
    nodes.close();
  }

  private Engine open() {
    return nodes.open(
        TestNodes.engineOptions()
            .withHandler(
                "wait",
                _ -> {
                  answer.await();
                  return Map.of();
                })
            .withHandler(
                "pay",
                call -> {
                  called.add(call.caseId());
                  return Map.of();
                }),
        paying);
  }

  private static void pass(Duration time) throws InterruptedException {
    assertThat(new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
  }

  /// Keeps the row of the node's heartbeat locked.
  private Connection lockHeartbeat() throws SQLException {
    Connection connection = TestServer.source().getConnection();
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("select 1 from " + nodes.options.schema() + ".heartbeat for update");
    }
    return connection;
  }

  @Test
  void a_node_that_cannot_raise_its_counter_moves_no_case_and_calls_nothing_until_it_can()
      throws Exception {
    Engine engine = open();
    engine.start(paying, "case-1", Context.empty());
    TestNodes.await(() -> nodes.owners().containsKey(1), () -> nodes.owners().toString());
    answer.countDown();
    TestNodes.await(
        () ->
            engine.status("case-1").status() == CaseStatus.WAITING
                && nodes.query("select 1 from @.intents").isEmpty(),
        () -> engine.status("case-1").toString());

    CompletableFuture<?> signalled;
    try (Connection lock = lockHeartbeat()) {
      pass(TestNodes.LEASE.plusMillis(500));
      signalled = CompletableFuture.runAsync(() -> engine.signal("case-1", "go", Map.of()));
      pass(Duration.ofMillis(700));
      assertThat(signalled).as("the case does not move").isNotDone();
      assertThat(called).isEmpty();
      lock.rollback();
    }

    assertThat(signalled).succeedsWithin(Duration.ofSeconds(20));
    assertThat(engine.await("case-1")).isInstanceOf(CaseResult.Completed.class);
    assertThat(called).containsExactly("case-1");
    assertThat(nodes.query("select count(*) from @.node where fenced")).containsExactly("0");
  }
}
