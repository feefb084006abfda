package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A node whose connection breaks at every message of its commits, one after the other, while a
/// signal adds one to a number. A message is counted on whichever connection it is sent, so polls
/// and messages to the inbox are cut as well.
@Timeout(120)
final class ClusterCutTest {
  private static final int MESSAGES = 60;

  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition counting =
      workflow(
          "counting",
          repeatWhile(
              _ -> true,
              defer(
                  on("add", task("add", ClusterCutTest::added)), on("end", task("end", c -> c)))));

  private static Context added(Context context) {
    long before = context.get("count") instanceof Long known ? known : 0;
    return context.with("count", before + 1);
  }

  @AfterEach
  void close() {
    nodes.close();
  }

  @ParameterizedTest
  @EnumSource
  void each_signal_counts_once_at_whatever_message_the_connection_breaks(TcpProxy.Cut cut) {
    TcpProxy proxy = nodes.proxy();
    Engine engine = nodes.open(proxy, counting);
    Engine other = nodes.open(counting);
    nodes.awaitBalance(2);
    String id = "case-1";
    other.start(counting, id, Context.empty());

    int cuts = 0;
    for (int message = 0; message < MESSAGES; message++) {
      proxy.cutAt(message, cut);
      // Without a message id: the engine must know by itself whether it happened.
      assertThat(engine.signal(id, "add", Map.of()).isAccepted()).isTrue();
      cuts += proxy.hasCut() ? 1 : 0;
      proxy.cutAt(-1, cut);
      assertThat(count(other, id)).as("%s at message %d", cut, message).isEqualTo(message + 1);
    }

    assertThat(cuts).as("cuts").isGreaterThan(MESSAGES / 4);
    assertThat(other.verify()).isEmpty();
    engine.close();
  }

  private static long count(Engine engine, String id) {
    return engine.status(id).context().get("count") instanceof Long known ? known : 0;
  }
}
