package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.damask.cases.Engine;
import dev.damask.cluster.NotAppliedException;
import dev.damask.store.CaseStatus;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.postgresql.ds.PGSimpleDataSource;

/// A failover to a synchronous standby under load: three nodes in processes of their own, and this
/// process as the witness that notes what was acknowledged. It needs Debian's `postgresql`; run it
/// with `-Ddamask.failover=true`.
@Timeout(400)
@EnabledIfSystemProperty(named = "damask.failover", matches = "true")
final class FailoverTest {
  private static final int CALLERS = 200;
  private static final Path SCRIPT = Path.of("src/test/scripts/failover.sh").toAbsolutePath();

  private final List<Process> processes = new ArrayList<>();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final AtomicInteger numbers = new AtomicInteger();
  private final AtomicInteger changes = new AtomicInteger();
  private final AtomicLong lastNanos = new AtomicLong();
  private final Queue<String> started = new ConcurrentLinkedQueue<>();
  private final Queue<String> signalled = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> refused = new ConcurrentLinkedQueue<>();
  private Path folder = Path.of("");

  @AfterEach
  void close() throws Exception {
    stop.countDown();
    processes.forEach(Process::destroyForcibly);
    script("stop");
  }

  private void script(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(SCRIPT.toString(), arguments[0]));
    command.add(folder.toString());
    command.addAll(List.of(arguments).subList(1, arguments.length));
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("%s", command).isTrue();
    assertThat(process.exitValue()).as("%s", command).isZero();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private void work(Engine client) {
    while (stop.getCount() > 0) {
      int number = numbers.incrementAndGet();
      WorkflowDefinition workflow = NodeProcess.WORKFLOWS.get(number % 2);
      String id = workflow.name() + "-" + number;
      try {
        client.start(workflow, id, Context.empty());
        started.add(id);
        acknowledged();
        if (client.signal(id, "go", Map.of(), "go").isAccepted()) {
          signalled.add(id);
          acknowledged();
        }
      } catch (NotAppliedException e) {
        refused.add(e); // accepted, not acknowledged
      } catch (RuntimeException e) {
        refused.add(e);
      }
    }
  }

  private void acknowledged() {
    changes.incrementAndGet();
    lastNanos.set(System.nanoTime());
  }

  @Test
  void every_acknowledged_change_survives_the_failover_and_work_continues_by_itself()
      throws Exception {
    folder = Files.createTempDirectory("damask-failover");
    int one = freePort();
    int two = freePort();
    script("start", String.valueOf(one), String.valueOf(two));
    String url =
        ("jdbc:postgresql://localhost:%d,localhost:%d/postgres?user=postgres"
                + "&targetServerType=primary&hostRecheckSeconds=1&connectTimeout=2&sslmode=disable")
            .formatted(one, two);
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(20);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(2_000);
    PostgresOptions options = PostgresOptions.DEFAULT.withReplyTime(Duration.ofSeconds(60));
    try (HikariDataSource pool = new HikariDataSource(config)) {
      new PostgresSchema(pool, options).init();
      TestServer.execute(pool, "create table damask.paid (case_id text)");
      for (int i = 0; i < 3; i++) {
        processes.add(NodeProcess.start(options, url));
      }
      TestNodes.await(
          () -> count(pool, "select count(distinct owner) from damask.slot") == 3,
          () -> "three nodes");
      try (Engine client =
          Engine.open(
              TestNodes.engineOptions(),
              PostgresCluster.of(pool, options).asClient(),
              NodeProcess.workflows())) {
        run(client, pool);
      }
    }
  }

  private void run(Engine client, HikariDataSource pool) throws Exception {
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      callers.add(Thread.ofVirtual().start(() -> work(client)));
    }
    TestNodes.await(() -> changes.get() > 400, () -> "load " + refused.peek());
    int counted = changes.get();
    long begun = System.nanoTime();
    TestNodes.await(() -> changes.get() > counted + 1_000, () -> "load");
    double rate = 1_000e9 / (System.nanoTime() - begun);

    long killed = System.nanoTime();
    script("kill");
    int before = changes.get();
    script("promote");
    long promoted = System.nanoTime();
    TestNodes.await(() -> changes.get() > before + 1, () -> "work after the failover");
    long continued = System.nanoTime();
    TestNodes.await(() -> changes.get() > before + 1_000, () -> "load after the failover");
    stop.countDown();
    for (Thread caller : callers) {
      caller.join();
    }
    System.out.printf(
        "failover: %.0f acknowledged changes a second before it; promoted after %d ms; the next"
            + " acknowledgement %d ms after the kill; %d starts and %d signals compared, %d calls"
            + " were told that nothing is known%n",
        rate,
        TimeUnit.NANOSECONDS.toMillis(promoted - killed),
        TimeUnit.NANOSECONDS.toMillis(continued - killed),
        started.size(),
        signalled.size(),
        refused.size());
    for (String id : started) {
      assertThat(client.status(id).caseId()).isEqualTo(id);
    }
    for (String id : signalled) {
      assertThat(client.await(id, Duration.ofSeconds(60))).as(id).isPresent();
      if (id.startsWith("keyed")) {
        assertThat(client.status(id).status()).as(id).isEqualTo(CaseStatus.COMPLETED);
      }
    }
    assertThat(
            count(
                pool,
                "select count(*) from (select 1 from damask.paid where case_id like 'once%'"
                    + " group by case_id having count(*) > 1) twice"))
        .isZero();
    assertThat(client.verify()).isEmpty();
    assertThat(rate).isGreaterThan(200);
  }

  private static long count(HikariDataSource pool, String sql) {
    try (var connection = pool.getConnection();
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (java.sql.SQLException e) {
      return -1;
    }
  }
}
