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
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// An engine that stops while its process lives. The lease is longer than the test, so nothing here
/// waits for it.
@Timeout(120)
final class ClusterStoppedTest {
  private final TestNodes nodes =
      new TestNodes(TestServer.schema().withLease(Duration.ofMinutes(10)));
  private final AtomicBoolean isBroken = new AtomicBoolean();
  private final WorkflowDefinition waiting =
      workflow("waiting", defer(on("go", task("end", c -> c.with("ended", true)))));

  @AfterEach
  void close() {
    isBroken.set(false);
    nodes.close();
  }

  @Test
  void the_cases_of_a_node_whose_engine_has_stopped_are_taken_over_at_once() throws Exception {
    AlteredSource altered =
        new AlteredSource(
            TestServer.source(),
            sql -> isBroken.get() ? sql.replace(".deltas", ".no_such_table") : sql);
    Engine stopped = nodes.open(altered, waiting);
    for (int i = 0; i < 20; i++) {
      stopped.start(waiting, "case-" + i, Context.of("n", i));
    }
    Engine other = nodes.open(waiting);
    nodes.awaitBalance(2);

    isBroken.set(true);

    for (int i = 0; i < 20; i++) {
      assertThat(other.signal("case-" + i, "go", Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(other.await("case-" + i, Duration.ofSeconds(30)))
          .contains(new CaseResult.Completed<>(Context.of("n", i, "ended", true)));
    }
    assertThat(altered.changes()).isPositive();
    assertThat(nodes.owners()).isEqualTo(Map.of(2, 4_096));
    assertThat(nodes.query("select id from @.node where not fenced")).containsExactly("2");
    assertThatThrownBy(() -> stopped.start(waiting, "late", Context.empty()))
        .hasMessageContaining("the engine has stopped");
    assertThat(nodes.query("select id from @.node where not fenced"))
        .as("a stopped engine does not join again")
        .containsExactly("2");
  }
}
