package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.store.CaseStatus;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Sessions in real processes that are really killed.
@Timeout(240)
final class KilledSessionsTest {
  private static final int EXECUTIONS = KeptSessions.COUNT * KeptSessions.STEPS;

  @TempDir Path folder;

  private Process start() throws IOException {
    String classes =
        Stream.of("jdk.module.path", "java.class.path")
            .map(name -> System.getProperty(name, ""))
            .filter(path -> !path.isEmpty())
            .collect(Collectors.joining(File.pathSeparator));
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            classes + File.pathSeparator + places(),
            KeptSessions.class.getName(),
            folder.toString())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("said.txt").toFile())
        .start();
  }

  /// Where the classes under test and the tests are, however they were given to this process.
  private static String places() {
    return Stream.of(KeptSessions.class, Sessions.class)
        .map(type -> Path.of(java.net.URI.create(location(type))).toString())
        .distinct()
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String location(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().toString();
  }

  private long executed() throws IOException {
    Path done = folder.resolve("done");
    if (!Files.isDirectory(done)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(done)) {
      return files.count();
    }
  }

  /// Runs a process until so many executions are done, and kills it.
  private void runAndKillAt(long executions) throws Exception {
    Process process = start();
    try {
      long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
      while (executed() < executions) {
        assertThat(System.nanoTime()).as(said()).isLessThan(deadline);
        assertThat(process.isAlive()).as(said()).isTrue();
        LockSupport.parkNanos(100_000);
      }
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.waitFor()).as("killed by signal 9: " + said()).isEqualTo(137);
  }

  private String said() throws IOException {
    return Files.readString(folder.resolve("said.txt"));
  }

  @Test
  void sessions_that_are_killed_twice_lose_nothing_and_do_nothing_twice() throws Exception {
    runAndKillAt(EXECUTIONS / 4);
    runAndKillAt(EXECUTIONS / 2);
    assertThat(executed()).isLessThan(EXECUTIONS);

    try (KeptSessions kept = new KeptSessions(folder)) {
      for (SessionKey key : kept.start()) {
        assertThat(kept.sessions.await(key, Duration.ofMinutes(1))).isPresent();

        SessionView view = kept.sessions.view(key);
        List<LogLine> log = kept.sessions.log(key, line -> true);
        assertThat(view.status()).isEqualTo(CaseStatus.COMPLETED);
        assertThat(view.processes()).hasSize(KeptSessions.STEPS);
        assertThat(view.counts().get(ProcessInstance.Status.DONE)).isEqualTo(KeptSessions.STEPS);
        assertThat(log).hasSize(KeptSessions.STEPS);
        assertThat(log).extracting(LogLine::iteration).doesNotHaveDuplicates();
        assertThat(log.subList(0, 9)).allMatch(line -> line.outcome().equals("valid"));
        assertThat(log.getLast().step() + log.getLast().outcome()).isEqualTo("Jinvalid");
        assertThat(kept.sessions.engine().receipts(key.caseId())).hasSize(KeptSessions.STEPS);
        assertThat(view.result()).isEqualTo(java.util.Map.of("n", 1L));
      }
      assertThat(kept.sessions.engine().verify()).isEmpty();
    }
    // An execution that was under way is done again under the same key, and never under another.
    assertThat(executed()).isEqualTo(EXECUTIONS);
  }
}
