package dev.damask.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A small heap and handlers or clients that would use it up: the other cases of the process
/// continue.
@Timeout(240)
final class SmallHeapTest {
  @TempDir Path folder;

  private String run(String mode) throws Exception {
    Process process =
        Java.start(
            List.of(),
            "-Xmx64m",
            folder,
            SmallHeap.class.getName(),
            folder.resolve("store").toString(),
            mode);
    try {
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
      return out.strip();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void handlers_that_use_up_the_heap_fail_and_others_continue() throws Exception {
    assertThat(run("handlers")).isEqualTo("failed 5, completed 5");
  }

  @Test
  void a_case_keeps_at_most_four_mebibytes_of_signals_and_others_continue() throws Exception {
    assertThat(run("signals")).isEqualTo("kept 23, rejected 77, other true");
  }
}
