package dev.damask.cli.check;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.Shell;
import dev.damask.cli.command.Exit;
import dev.damask.compile.Compiler;
import dev.damask.document.ContextReader;
import dev.damask.document.DocumentReader;
import dev.damask.document.WorkflowDocument;
import dev.damask.json.JsonWriter;
import dev.damask.scenario.ScenarioDocument;
import dev.damask.scenario.ScenarioReader;
import dev.damask.scenario.ScenarioResult;
import dev.damask.scenario.ScenarioRunner;
import dev.damask.verify.Options;
import dev.damask.verify.Verdict;
import dev.damask.verify.Verifier;
import dev.damask.verify.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Counterexamples as scenarios: each can be written, and the machine goes its way again.
@Timeout(300)
final class CounterexampleScenarioTest {
  private static final Options OPTIONS = Options.DEFAULT.withStates(5_000);

  @TempDir Path folder;

  private static List<Path> scenarios() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("..", "scenarios"))) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  @Test
  void every_counterexample_of_the_suite_becomes_a_scenario_that_passes() throws IOException {
    Path workflow = folder.resolve("workflow.json");
    Path target = folder.resolve("scenario.json");
    int plain = 0;
    int guided = 0;
    for (Path file : scenarios()) {
      Object inline = new ContextReader().read(file).get("workflow");
      Files.writeString(workflow, JsonWriter.line(inline));
      WorkflowDocument document = new DocumentReader().read(workflow);
      if (!(Verifier.check(Compiler.compile(document.workflow()), OPTIONS)
          instanceof Verdict.Refuted refuted)) {
        continue;
      }
      for (Violation violation : refuted.violations()) {
        if (violation.counterexample().steps().isEmpty()) {
          continue; // a task that is never reached has no way to show
        }
        Optional<String> text =
            CounterexampleScenario.scenario(document, workflow, target, violation);

        assertThat(text).as(file + ": " + violation).isPresent();
        Files.writeString(target, text.get());
        ScenarioDocument scenario = new ScenarioReader().read(target);
        ScenarioResult result =
            scenario.isGuided() ? GuidedScenario.run(scenario) : ScenarioRunner.run(scenario);
        assertThat(result.passes()).as(file + ": " + text.get() + result.describe()).isTrue();
        plain += scenario.isGuided() ? 0 : 1;
        guided += scenario.isGuided() ? 1 : 0;
      }
    }
    System.out.println("counterexamples played: " + plain + " with data, " + guided + " guided");
    assertThat(plain).isPositive();
    assertThat(plain + guided).isGreaterThan(5);
  }

  @Test
  void a_way_that_no_data_take_is_written_with_its_choices() throws IOException {
    Path document =
        Files.writeString(
            folder.resolve("a.yaml"),
            """
            workflow: never
            do:
              - task: ask
              - xor:
                  - when: n > 3 && n < 2
                    do: {take: nothing}
                  - else: {task: go on}
            """);
    Path scenario = folder.resolve("out.json");

    Shell check = damask("check", document.toString(), "--scenario", scenario.toString());
    Shell test = damask("test", scenario.toString());

    assertThat(check.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(scenario).content().contains("\"choices\": ", "\"done\": \"ask\"");
    assertThat(test.exit()).as(test.out()).isZero();

    // The same choices in a workflow that has been mended end elsewhere.
    Files.writeString(
        document, Files.readString(document).replace("{take: nothing}", "{task: nothing}"));
    Shell mended = damask("test", scenario.toString());
    assertThat(mended.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(mended.out()).contains("FAIL");
  }

  @Test
  void choices_that_name_no_token_are_reported() throws IOException {
    Path scenario =
        Files.writeString(
            folder.resolve("s.yaml"),
            """
            scenario: wrong
            workflow: {workflow: w, do: {task: a}}
            steps: [{start: true, choices: [[17]]}]
            """);

    Shell test = damask("test", scenario.toString());

    assertThat(test.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(test.out()).contains("no token or frame has the number 17");
  }
}
