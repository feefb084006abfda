package dev.damask.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Recordings of format 2, written once with `damask run --trace-out`, replay in every later
/// version.
final class GoldenRecordingTest {
  private static final Path FOLDER = Path.of("src", "test", "resources", "golden", "recording-2");

  @ParameterizedTest
  @ValueSource(strings = {"order", "race", "parts", "session"})
  void replays_to_the_same_trace(String name) {
    Shell shell = Shell.damask("replay", FOLDER.resolve(name + ".json").toString());

    assertThat(shell.out()).as(shell.err()).matches("same: \\d+ events\n");
    assertThat(shell.exit()).isZero();
  }
}
