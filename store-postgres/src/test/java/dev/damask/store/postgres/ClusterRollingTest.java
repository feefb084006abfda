package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A rolling restart of three processes under load.
@Timeout(300)
final class ClusterRollingTest {
  private static final int CALLERS = 2;

  private final TestNodes nodes = new TestNodes();
  private final List<Process> processes = new ArrayList<>();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final AtomicInteger numbers = new AtomicInteger();
  private final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> broken = new ConcurrentLinkedQueue<>();
  private final Queue<Long> nanos = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    stop.countDown();
    processes.forEach(Process::destroyForcibly);
    nodes.close();
  }

  private void start() {
    processes.add(NodeProcess.start(nodes.options, ClusterProcessesTest.url()));
  }

  private void work(Engine client) {
    while (stop.getCount() > 0) {
      String id = "once-" + numbers.incrementAndGet();
      try {
        client.start(NodeProcess.SLOW_ONCE, id, Context.empty());
        long begun = System.nanoTime();
        assertThat(client.signal(id, "go", Map.of()).isAccepted()).isTrue();
        nanos.add(System.nanoTime() - begun);
        acknowledged.add(id);
      } catch (RuntimeException | AssertionError e) {
        broken.add(e);
      }
    }
  }

  @Test
  void calls_that_end_in_the_grace_period_are_neither_lost_nor_unknown_nor_repeated()
      throws Exception {
    nodes.execute("create table @.paid (case_id text)");
    start();
    start();
    start();
    nodes.awaitBalance(3);
    Engine client = nodes.client(NodeProcess.workflows());
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      callers.add(Thread.ofPlatform().start(() -> work(client)));
    }

    for (int i = 0; i < 3; i++) {
      int before = acknowledged.size();
      TestNodes.await(() -> acknowledged.size() > before + 5, () -> "load " + broken);
      Process leaving = processes.removeFirst();
      leaving.getOutputStream().close(); // its engine closes
      assertThat(leaving.waitFor(30, TimeUnit.SECONDS)).isTrue();
      start();
      nodes.awaitBalance(3);
    }
    stop.countDown();
    for (Thread caller : callers) {
      caller.join();
    }

    assertThat(broken).isEmpty();
    for (String id : acknowledged) {
      assertThat(client.await(id, Duration.ofSeconds(60)).orElseThrow())
          .as(id)
          .isInstanceOf(CaseResult.Completed.class);
    }
    assertThat(nodes.query("select count(*), count(distinct case_id) from @.paid"))
        .containsExactly(acknowledged.size() + " " + acknowledged.size());
    assertThat(nodes.query("select count(*) from @.node")).containsExactly("3");
    assertThat(nodes.query("select count(*) from @.inbox")).containsExactly("0");
    List<Long> sorted = new ArrayList<>(nanos);
    sorted.sort(null);
    System.out.printf(
        "rolling restart: %d signals, p50 %d ms, p99 %d ms, longest %d ms%n",
        sorted.size(), millis(sorted, 50), millis(sorted, 99), millis(sorted, 100));
  }

  private static long millis(List<Long> sorted, int percent) {
    int index = Math.min(sorted.size() - 1, sorted.size() * percent / 100);
    return TimeUnit.NANOSECONDS.toMillis(sorted.get(index));
  }
}
