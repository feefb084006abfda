package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cluster.NotAppliedException;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Nodes in processes of their own that are killed and paused while a client works. With
/// `-Ddamask.cluster.rounds=20` it is a campaign.
@Timeout(600)
final class ClusterProcessesTest {
  private static final int ROUNDS = Integer.getInteger("damask.cluster.rounds", 1);
  private static final int CALLERS = 3;
  private static final Duration MARGIN = Duration.ofSeconds(3);

  private final TestNodes nodes = new TestNodes();
  private final List<Process> processes = new ArrayList<>();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final AtomicInteger numbers = new AtomicInteger();
  private final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> broken = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    stop.countDown();
    processes.forEach(Process::destroyForcibly);
    nodes.close();
  }

  private Process start() {
    Process process = NodeProcess.start(nodes.options, url());
    processes.add(process);
    return process;
  }

  static String url() {
    String url = TestServer.source().getUrl();
    return url
        + (url.contains("?") ? "&" : "?")
        + "user="
        + TestServer.source().getUser()
        + "&password="
        + TestServer.source().getPassword();
  }

  private static void signal(Process process, String name) throws Exception {
    int exit = new ProcessBuilder("kill", name, String.valueOf(process.pid())).start().waitFor();
    assertThat(exit).isZero();
  }

  /// Starts cases and signals them, and notes what was acknowledged.
  private void work(Engine client) {
    while (stop.getCount() > 0) {
      int number = numbers.incrementAndGet();
      WorkflowDefinition workflow = NodeProcess.WORKFLOWS.get(number % 2);
      String id = workflow.name() + "-" + number;
      try {
        client.start(workflow, id, Context.empty());
        if (client.signal(id, "go", Map.of(), "go").isAccepted()) {
          acknowledged.add(id);
        }
      } catch (NotAppliedException e) {
        acknowledged.add(id); // accepted: it will not be lost
      } catch (RuntimeException e) {
        broken.add(e);
      }
    }
  }

  private List<Integer> owners() {
    return List.copyOf(nodes.owners().keySet());
  }

  @Test
  void nothing_is_lost_or_doubled_when_nodes_are_killed_and_paused() throws Exception {
    nodes.execute("create table @.paid (case_id text)");
    start();
    start();
    start();
    nodes.awaitBalance(3);
    Engine client = nodes.client(NodeProcess.WORKFLOWS.toArray(WorkflowDefinition[]::new));
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      callers.add(Thread.ofPlatform().start(() -> work(client)));
    }

    for (int round = 0; round < ROUNDS; round++) {
      kill(processes.removeFirst());
      pause(processes.getFirst());
    }
    stop.countDown();
    for (Thread caller : callers) {
      caller.join();
    }

    assertThat(broken).isEmpty();
    assertThat(acknowledged).hasSizeGreaterThan(10);
    for (String id : acknowledged) {
      CaseResult<Context> end = client.await(id, Duration.ofSeconds(60)).orElseThrow();
      if (id.startsWith("keyed")) {
        assertThat(end).as(id).isInstanceOf(CaseResult.Completed.class);
      }
    }
    assertThat(
            nodes.query(
                "select case_id from @.paid where case_id like 'once%' group by case_id"
                    + " having count(*) > 1"))
        .as("calls at most once")
        .isEmpty();
    assertThat(nodes.query("select count(*) from @.inbox")).containsExactly("0");
    assertThat(client.verify()).isEmpty();
  }

  /// Kills a node and starts another one.
  private void kill(Process victim) throws IOException {
    List<Integer> before = owners();
    long begun = System.nanoTime();
    victim.destroyForcibly();
    TestNodes.await(() -> !owners().containsAll(before), () -> "a takeover from " + before);
    assertThat(Duration.ofNanos(System.nanoTime() - begun))
        .isLessThan(TestNodes.LEASE.plus(MARGIN));
    start();
    nodes.awaitBalance(3);
  }

  /// Pauses a node for longer than its lease; it joins again with a new id.
  private void pause(Process victim) throws Exception {
    List<Integer> before = owners();
    signal(victim, "-STOP");
    TestNodes.await(() -> !owners().containsAll(before), () -> "a takeover from " + before);
    signal(victim, "-CONT");
    nodes.awaitBalance(3);
  }
}
