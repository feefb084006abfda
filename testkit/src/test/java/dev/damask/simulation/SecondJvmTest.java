package dev.damask.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.ManualEngine;
import dev.damask.document.DocumentReader;
import dev.damask.exec.Machine;
import dev.damask.nursery.Nursery;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// One run in a hundred is repeated in a second JVM, where identity hashes, the order of immutable
/// sets and maps, the language, the time zone and the collector are others. What happens must not
/// depend on any of them.
@Timeout(300)
final class SecondJvmTest {
  private static final long RUNS = Long.getLong("damask.simulations", 100_000) / 10;
  private static final long STEP = 100;

  private static String classPath() throws URISyntaxException {
    List<String> folders = new ArrayList<>();
    for (Class<?> each :
        List.of(
            Simulate.class,
            ManualEngine.class,
            Machine.class,
            Nursery.class,
            DocumentReader.class)) {
      folders.add(
          Path.of(each.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    return String.join(File.pathSeparator, folders);
  }

  private static List<String> elsewhere(String... flags)
      throws IOException, InterruptedException, URISyntaxException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", classPath(), Simulate.class.getName(), "hashes"));
    command.addAll(List.of("1", String.valueOf(RUNS), String.valueOf(STEP)));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(out).isZero();
      return out.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void one_run_in_a_hundred_is_the_same_in_a_second_jvm() throws Exception {
    Simulator simulator = new Simulator();
    List<String> here = new ArrayList<>();
    for (long seed = 1; seed < 1 + RUNS; seed += STEP) {
      here.add(seed + " " + simulator.hash(seed));
    }

    List<String> there =
        elsewhere(
            "-XX:+UnlockExperimentalVMOptions",
            "-XX:hashCode=3",
            "-XX:+UseParallelGC",
            "-Duser.language=tr",
            "-Duser.timezone=Pacific/Apia");

    assertThat(here).hasSize((int) ((RUNS + STEP - 1) / STEP));
    assertThat(there).isEqualTo(here);
  }
}
