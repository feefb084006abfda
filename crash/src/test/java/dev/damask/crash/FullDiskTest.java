package dev.damask.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A disk that is really full, and has room again later.
final class FullDiskTest {
  private static final int DISK_MEBIBYTES = 128;

  @TempDir Path folder;
  private Path disk = Path.of("");

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  @BeforeEach
  void mount() throws IOException, InterruptedException {
    disk = Files.createDirectories(folder.resolve("store"));
    boolean isMounted =
        Files.exists(Path.of("/bin/mount"))
            && run(
                    "mount",
                    "-t",
                    "tmpfs",
                    "-o",
                    "size=" + DISK_MEBIBYTES + "m",
                    "tmpfs",
                    disk.toString())
                == 0;
    assumeThat(isMounted).as("only root may mount a small disk").isTrue();
  }

  @AfterEach
  void unmount() throws IOException, InterruptedException {
    run("umount", disk.toString());
  }

  /// Leaves no room at all.
  private Path fill() throws IOException {
    Path filler = disk.resolve("filler");
    byte[] block = new byte[1 << 12];
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(block);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
      return filler;
    }
  }

  @Test
  void new_work_is_refused_running_work_ends_and_with_room_again_nothing_is_lost()
      throws Exception {
    try (WitnessProcess witness = new WitnessProcess(folder)) {
      Script before = new Script("before");
      try (WorkerProcess worker = new WorkerProcess(List.of(), folder, witness.port())) {
        worker.awaitReady();
        assertThat(before.play(worker)).isTrue();
        worker.ask("paying", "waits", "start");
        Path filler = fill();
        String refusal = awaitRefusal(worker);

        assertThat(refusal).contains("the disk of the store is nearly full");
        // What runs goes on: its log has its room already.
        worker.ask("paying", "waits", "confirm");
        assertThat(worker.ask("paying", "waits", "await")).isEqualTo(Paying.COMPLETED);
        worker.kill();
        assertThat(openingFails(witness)).contains("StoreException", "No space left on device");
        Files.delete(filler);
      }
      try (WorkerProcess worker = new WorkerProcess(List.of(), folder, witness.port())) {
        worker.awaitReady();
        Script after = new Script("after");

        assertThat(before.problems(worker, witness)).isEmpty();
        assertThat(new Aftermath(worker, witness::ledger).paid(told())).isEmpty();
        assertThat(after.play(worker)).isTrue();
        assertThat(after.problems(worker, witness)).isEmpty();
      }
    }
  }

  private static Map<String, String> told() {
    return Map.of("waits", Paying.COMPLETED);
  }

  /// What a process says that cannot open the store.
  private String openingFails(WitnessProcess witness) throws IOException {
    try (WorkerProcess worker = new WorkerProcess(List.of(), folder, witness.port())) {
      assertThatThrownBy(worker::awaitReady).isInstanceOf(WorkerProcess.Gone.class);
    }
    return Files.readString(folder.resolve("Worker.err"));
  }

  /// The engine looks now and then how much room there is.
  private static String awaitRefusal(WorkerProcess worker) throws InterruptedException {
    for (int i = 0; i < 400; i++) {
      try {
        worker.ask("paying", "new-" + i % 3, "start");
        Thread.sleep(10);
      } catch (WorkerProcess.Gone e) {
        return String.valueOf(e.getMessage());
      }
    }
    throw new AssertionError("a full disk is not noticed");
  }
}
