package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.damask.store.CaseStatus;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The worker of `examples/worker-python`, with the Python of this machine; skipped without one.
@Timeout(60)
final class WorkerPythonTest {
  private static final Path WORKER = Path.of("../examples/worker-python/worker.py");

  @TempDir private Path folder;
  private ServedEngine served;
  private final List<Process> running = new ArrayList<>();

  @BeforeEach
  void open() {
    assumeTrue(isThere("python3"), "there is no python3 on the path");
    served = ServedEngine.inMemory();
  }

  private static boolean isThere(String program) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(":", -1))
        .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
  }

  @AfterEach
  void close() throws InterruptedException {
    for (Process each : running) {
      each.destroyForcibly().waitFor();
    }
    if (served != null) {
      served.close();
    }
  }

  private Process worker(Map<String, String> more, String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of("python3", WORKER.toString()));
    line.add("http://127.0.0.1:" + served.server.port());
    line.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.redirectOutput(folder.resolve("out").toFile());
    builder.environment().put("DAMASK_TOKEN", served.worker);
    builder.environment().putAll(more);
    Process process = builder.start();
    running.add(process);
    return process;
  }

  private void until(String caseId, CaseStatus status, Process worker) throws IOException {
    while (served.engine.status(caseId).status() != status) {
      assertThat(worker.isAlive()).as(() -> read()).isTrue();
      LockSupport.parkNanos(100_000);
    }
  }

  private String read() {
    try {
      return Files.readString(folder.resolve("out"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Test
  void it_performs_the_tasks_of_a_case_and_ends_after_a_signal() throws Exception {
    served.engine.signal("order-2", "approved", Map.of());
    Process worker = worker(Map.of());

    until("order-2", CaseStatus.COMPLETED, worker);
    worker.destroy(); // SIGTERM

    assertThat(served.get(served.admin, "/v1/cases/order-2").at("context.parcel"))
        .isEqualTo("P-order-2");
    assertThat(served.get(served.admin, "/v1/cases/order-2").at("context.thanked")).isEqualTo(true);
    served.start("order", "wake", Context.empty()); // ends its long poll
    assertThat(worker.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(worker.exitValue()).as(this::read).isZero();
  }

  @Test
  void it_extends_its_lease_while_a_task_takes_longer() throws Exception {
    for (int i = 3; i <= 6; i++) {
      served.engine.cancel("order-" + i);
    }
    Process worker = worker(Map.of("SHIP_SECONDS", "3"), "ship", "--lease", "2");

    while (served.engine.status("order-2").tasks().stream()
        .anyMatch(each -> each.task().equals("ship"))) {
      assertThat(worker.isAlive()).as(this::read).isTrue();
      LockSupport.parkNanos(100_000);
    }

    assertThat(served.get(served.admin, "/v1/cases/order-2").at("context.parcel"))
        .isEqualTo("P-order-2");
    assertThat(read()).contains("order-2: complete").doesNotContain("lost");
  }

  @Test
  void it_ends_with_a_sentence_if_its_token_is_unknown() throws Exception {
    Process worker = worker(Map.of("DAMASK_TOKEN", "none"));

    assertThat(worker.waitFor(30, TimeUnit.SECONDS)).isTrue();

    assertThat(worker.exitValue()).isEqualTo(1);
    assertThat(read()).contains("401 the token is unknown or has ended");
  }
}
