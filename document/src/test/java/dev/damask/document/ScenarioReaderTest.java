package dev.damask.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ScenarioReaderTest {
  static final Path SCENARIOS = Path.of("..", "scenarios");

  static List<Path> scenarios() {
    try (Stream<Path> files = Files.list(SCENARIOS)) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void every_scenario_of_the_project_is_read() {
    List<Path> files = scenarios();

    for (Path file : files) {
      ScenarioDocument scenario = new ScenarioReader().read(file);

      assertThat(file).hasFileName(scenario.name() + ".json");
      assertThat(scenario.steps().getFirst().event()).isEqualTo(new ScenarioEvent.Start());
    }
    assertThat(files).hasSize(190);
  }
}
