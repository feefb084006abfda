package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.value.Context;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A process that is killed at each message of a transaction, from the first statement of the
/// handler to the answer to COMMIT. In every snapshot of the database the handler's row is there if
/// and only if the case has made the step.
///
/// With `-Ddamask.joined.stride=1` every message is tried; a build tries every sixth.
@Timeout(600)
final class JoinedKillTest {
  private static final int STRIDE = Integer.getInteger("damask.joined.stride", 6);

  /// More messages than a transaction has; what comes after them are polls.
  private static final int MESSAGES = 66;

  /// Each process takes over from the one that was killed before it.
  private static final Duration LEASE = Duration.ofMillis(600);

  private final TestNodes nodes = new TestNodes();
  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void close() {
    processes.forEach(Process::destroyForcibly);
    nodes.close();
  }

  private Process start(int port) throws IOException {
    String url =
        "jdbc:postgresql://localhost:%d/%s?sslmode=disable&user=%s&password=%s"
            .formatted(
                port,
                TestServer.source().getDatabaseName(),
                TestServer.source().getUser(),
                TestServer.source().getPassword());
    Process process = NodeProcess.start(JoinedProcess.class, nodes.options.withLease(LEASE), url);
    processes.add(process);
    return process;
  }

  /// The cases whose row and step are not both there or both missing, in one snapshot.
  private List<String> torn() {
    return nodes.query(
        "select c.case_id, c.status, count(p.case_id) from @.cases c"
            + " left join @.paid p on p.case_id = c.case_id group by c.case_id, c.status"
            + " having count(p.case_id) <> (c.status = 4)::int");
  }

  /// Kills a node at a message, counted from the first statement of the handler on.
  private void kill(Engine client, int message, boolean isLost) throws Exception {
    try (TcpProxy proxy = nodes.proxy()) {
      Process process = start(proxy.port());
      AtomicInteger seen = new AtomicInteger(-1);
      proxy.watch(text -> {
        boolean isFirst = text.contains(".paid values") && seen.compareAndSet(-1, 0);
        boolean isLater = !isFirst && seen.get() >= 0;
        boolean isNow = isFirst ? message == 0 : isLater && seen.incrementAndGet() == message;
        if (isNow) {
          process.destroyForcibly();
        }
        return isNow && isLost;
      });
      var _ = client.startAsync(JoinedProcess.PAYS, "case-" + message, Context.empty());
      while (process.isAlive()) {
        assertThat(torn()).as("before message %d", message).isEmpty();
      }
      assertThat(torn()).as("message %d", message).isEmpty();
    }
  }

  @Test
  void the_row_and_the_step_happen_together_or_not_at_all_when_the_process_dies() throws Exception {
    nodes.execute("create table @.paid (case_id text, attempt int)");
    Engine client = nodes.client(JoinedProcess.PAYS);
    for (int message = 0; message < MESSAGES; message += STRIDE) {
      kill(client, message, message / STRIDE % 2 == 0);
    }

    start(TestServer.port());
    int cases = (MESSAGES + STRIDE - 1) / STRIDE;
    TestNodes.await(
        () -> {
          // A case that was alone at three deaths is quarantined as it should be: an operator
          // releases it.
          nodes.query("select case_id from @.cases where status = 3").forEach(client::retry);
          return nodes.query("select 1 from @.cases where status = 4").size() == cases;
        },
        () -> nodes.query("select case_id, status from @.cases").toString());
    assertThat(torn()).isEmpty();
    assertThat(nodes.query("select case_id from @.paid group by case_id having count(*) > 1"))
        .isEmpty();
  }
}
