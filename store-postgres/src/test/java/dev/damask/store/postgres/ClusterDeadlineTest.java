package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.event.Reply;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Callers of a node that cannot reach its database.
@Timeout(60)
final class ClusterDeadlineTest {
  private final TestNodes nodes =
      new TestNodes(
          TestServer.schema().withLease(TestNodes.LEASE).withReplyTime(Duration.ofSeconds(2)));
  private final WorkflowDefinition waiting =
      workflow("waiting", defer(on("go", task("end", c -> c.with("ended", true)))));

  @AfterEach
  void close() {
    nodes.close();
  }

  /// The same message again until the database is back.
  private static boolean isAccepted(Engine engine) {
    try {
      return engine.signal("one", "go", Map.of(), "m1").kind() == Reply.ACCEPTED;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  @Test
  void a_caller_of_its_own_nodes_case_learns_that_nothing_can_be_stored() throws Exception {
    TcpProxy proxy = nodes.proxy();
    Engine engine = nodes.open(proxy, waiting);
    engine.start(waiting, "one", Context.of("n", 1));
    CompletableFuture<?> end =
        CompletableFuture.supplyAsync(() -> {
          try {
            return engine.await("one");
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });

    proxy.cutAll();

    assertThatThrownBy(() -> engine.start(waiting, "two", Context.of("n", 2)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("case two: the change cannot be stored at the moment");
    assertThatThrownBy(() -> engine.signal("one", "go", Map.of(), "m1"))
        .hasMessageContaining("cannot be stored at the moment");
    assertThat(end).as("an end may take as long as it takes").isNotDone();
    proxy.restore();

    TestNodes.await(() -> isAccepted(engine), () -> "the database is back");
    assertThat(engine.await("one"))
        .isEqualTo(new CaseResult.Completed<>(Context.of("n", 1, "ended", true)));
    engine.start(waiting, "two", Context.of("n", 2));
  }
}
