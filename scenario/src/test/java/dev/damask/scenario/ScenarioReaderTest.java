package dev.damask.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.document.DocumentProblem;
import dev.damask.task.TaskAddress;
import dev.damask.value.Context;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    assertThat(files).filteredOn(ScenarioReaderTest::isShared).hasSize(207);
  }

  /// The scenarios of the pattern catalogue; those of newer forms have letters of their own.
  private static boolean isShared(Path file) {
    return "DEFGTU".indexOf(file.getFileName().toString().charAt(0)) >= 0;
  }

  private static ScenarioStep step(String text) {
    return new ScenarioReader().readEvents("events.yaml", "[" + text + "]").getFirst();
  }

  private static String problem(String text) {
    try {
      return "no problem but " + step(text);
    } catch (DocumentProblem problem) {
      return String.valueOf(problem.getMessage());
    }
  }

  @Test
  void every_event_has_its_record() {
    TaskAddress a = new TaskAddress("A", List.of(), 0);

    assertThat(step("{start: true}").event()).isEqualTo(new ScenarioEvent.Start());
    assertThat(step("{done: A, set: {k: 1}}").event())
        .isEqualTo(new ScenarioEvent.Done(a, Context.of("k", 1)));
    assertThat(step("{fail: A, reason: boom}").event())
        .isEqualTo(new ScenarioEvent.Fail(a, "boom"));
    assertThat(step("{signal: p, set: {by: eve}}").event())
        .isEqualTo(new ScenarioEvent.Signal("p", Context.of("by", "eve")));
    assertThat(step("{cancel: case}").event()).isEqualTo(new ScenarioEvent.Cancel("case"));
    assertThat(step("{complete: R}").event()).isEqualTo(new ScenarioEvent.Complete("R"));
    assertThat(step("{cancelTask: 'A[2]'}").event())
        .isEqualTo(new ScenarioEvent.CancelTask(new TaskAddress("A", List.of(2), 0)));
    assertThat(step("{add: m, item: null}").event())
        .isEqualTo(new ScenarioEvent.Add("m", true, null));
    assertThat(step("{close: m}").event()).isEqualTo(new ScenarioEvent.Close("m"));
    assertThat(step("{advance: PT47S}").event())
        .isEqualTo(new ScenarioEvent.Advance(Duration.ofSeconds(47)));
    assertThat(step("{add: m, reply: noSuchRegion}").reply())
        .isEqualTo(ScenarioStep.Reply.NO_SUCH_REGION);
  }

  @Test
  void an_address_names_a_task_an_instance_and_an_execution() {
    assertThat(TaskAddress.parse("A#2")).contains(new TaskAddress("A", List.of(), 2));
    assertThat(TaskAddress.parse("A[2.1]#1")).contains(new TaskAddress("A", List.of(2, 1), 1));
    assertThat(TaskAddress.parse("pay the bill[3]"))
        .contains(new TaskAddress("pay the bill", List.of(3), 0));
    for (String wrong : List.of("", "#1", "A#0", "A[]", "A[0]", "A[1", "A#1#2", "A#99999999999")) {
      assertThat(TaskAddress.parse(wrong)).as(wrong).isEmpty();
    }
    assertThat(new TaskAddress("A", List.of(2, 1), 3)).hasToString("A[2.1]#3");
  }

  @Test
  void a_mistake_in_an_event_is_told_with_its_place() {
    assertThat(problem("{done: A, cancel: R}"))
        .isEqualTo(
            "events.yaml:1:2: [0]: expected exactly one of the keys start, done, fail, retry,"
                + " signal, cancel, complete, cancelTask, add, close, advance, found done, cancel");
    assertThat(problem("{done: 'A[x]'}"))
        .isEqualTo(
            "events.yaml:1:9: [0].done: expected a task such as A, A#2, A[2] or A[2.1]#1, found"
                + " 'A[x]'");
    assertThat(problem("{done: A, see: [A]}"))
        .startsWith("events.yaml:1:18: [0].see[0]: expected an observation such as A#1+");
    assertThat(problem("{cancel: R, set: {a: 1}}"))
        .isEqualTo("events.yaml:1:19: [0].set: 'set' requires done or signal");
  }

  @Test
  void a_scenario_may_name_the_file_of_its_workflow(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("w.yaml"), "{workflow: w, do: {task: A}}");
    Path file = folder.resolve("s.yaml");
    Files.writeString(
        file, "{scenario: s, workflow: w.yaml, order: strict, steps: [{start: true, see: []}]}");

    ScenarioDocument scenario = new ScenarioReader().read(file);

    assertThat(scenario.workflow().workflow().name()).isEqualTo("w");
    assertThat(scenario.strict()).isTrue();
    assertThat(scenario.end().status()).isNull();
  }
}
