package dev.damask.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.schedule.InOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every scenario document passes, however the machine is run.
final class ScenarioSuiteTest {
  private static final Path FOLDER = Path.of("..", "scenarios");

  static List<Path> scenarios() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  @Test
  void there_are_207_scenarios_of_the_catalogue_and_some_for_each_newer_form() throws IOException {
    Map<Boolean, List<Path>> files =
        scenarios().stream().collect(Collectors.partitioningBy(ScenarioSuiteTest::isShared));

    assertThat(files.get(true)).hasSize(207);
    assertThat(files.get(false)).hasSizeGreaterThanOrEqualTo(43);
  }

  private static boolean isShared(Path file) {
    return "DEFGTU".indexOf(file.getFileName().toString().charAt(0)) >= 0;
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void passes_optimised_and_raw(Path file) {
    ScenarioDocument scenario = new ScenarioReader().read(file);

    ScenarioResult optimised = ScenarioRunner.run(scenario);
    ScenarioResult raw = ScenarioRunner.run(scenario, style(true, false, 100));

    assertThat(optimised.passes()).as(optimised.describe()).isTrue();
    assertThat(raw.passes()).as(raw.describe()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void passes_when_the_state_is_written_and_read_back_between_any_two_steps(Path file) {
    ScenarioDocument scenario = new ScenarioReader().read(file);

    ScenarioResult between = ScenarioRunner.run(scenario, style(false, true, 100));
    ScenarioResult everyStep = ScenarioRunner.run(scenario, style(true, true, 1));

    assertThat(between.passes()).as(between.describe()).isTrue();
    assertThat(everyStep.passes()).as(everyStep.describe()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void passes_on_the_engine_with_the_same_trace(Path file) {
    ScenarioDocument scenario = new ScenarioReader().read(file);

    ScenarioResult machine = ScenarioRunner.run(scenario);
    ScenarioResult engine =
        ScenarioRunner.run(
            scenario,
            (_, tracer) ->
                new EngineStage(
                    scenario.workflow().workflow(), InOrder.INSTANCE, scenario.with(), tracer));

    assertThat(engine.passes()).as(engine.describe()).isTrue();
    assertThat(engine.trace()).isEqualTo(machine.trace());
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void leaves_the_same_trace_twice(Path file) {
    ScenarioDocument scenario = new ScenarioReader().read(file);

    String first = ScenarioRunner.run(scenario).trace();
    String second = ScenarioRunner.run(scenario).trace();

    assertThat(second).isEqualTo(first).isNotEmpty();
  }

  private static MachineCase.Style style(boolean raw, boolean rewritten, int quantum) {
    return new MachineCase.Style(InOrder.INSTANCE, raw, rewritten, quantum);
  }
}
