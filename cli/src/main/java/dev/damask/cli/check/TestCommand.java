package dev.damask.cli.check;

import dev.damask.check.Diagnostic;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.GraphFiles;
import dev.damask.cli.command.Lines;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
import dev.damask.document.DocumentKind;
import dev.damask.document.DocumentProblem;
import dev.damask.document.DocumentSource;
import dev.damask.document.LoadedDocument;
import dev.damask.json.JsonWriter;
import dev.damask.plan.PlanResult;
import dev.damask.plan.TestPlan;
import dev.damask.scenario.ScenarioDocument;
import dev.damask.scenario.ScenarioReader;
import dev.damask.scenario.ScenarioResult;
import dev.damask.scenario.ScenarioRunner;
import dev.damask.source.Rejected;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Runs scenario documents.
@Command(
    name = "test",
    description = "Runs scenario documents and compares the observations with the expected ones.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:all pass", "1:some fail", "2:invalid document, or none found"})
public final class TestCommand implements Callable<Integer> {
  /// How much of a file that cannot be read is searched for the word.
  private static final int HEAD_BYTES = 4_096;

  private final Streams streams;
  private int passed;
  private int failed;
  private int invalid;

  @Parameters(
      paramLabel = "FILE or DIR",
      arity = "1..*",
      description =
          "Scenario documents; a directory is searched recursively for *.json, *.yaml and *.yml"
              + " files with a scenario.")
  private List<Path> paths = List.of();

  @Option(names = "--json", description = "Prints one JSON object per scenario.")
  private boolean json;

  @Option(
      names = "--stubs",
      paramLabel = "FILE",
      description =
          "The responses of external services for plans of graphs that do not specify them: a "
              + "document with the keys api, reads and executions.")
  private @Nullable Path stubs;

  public TestCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    for (Path path : paths) {
      if (Files.isDirectory(path)) {
        below(path).forEach(this::runIfScenario);
      } else {
        run(path);
      }
    }
    int total = passed + failed + invalid;
    if (total == 0) {
      throw new Refusal(
          "no scenario found in "
              + String.join(", ", paths.stream().map(Path::toString).toList())
              + "; a scenario is a document with the key 'scenario'");
    }
    if (!json) {
      String bad = invalid == 0 ? "" : ", " + invalid + " invalid";
      streams
          .out()
          .println(
              "%d scenario%s: %d passed, %d failed%s"
                  .formatted(total, total == 1 ? "" : "s", passed, failed, bad));
    }
    return invalid > 0 ? Exit.INVALID : failed > 0 ? Exit.DIFFERENT : Exit.OK;
  }

  private static List<Path> below(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(TestCommand::isCandidate).sorted().toList();
    } catch (IOException | UncheckedIOException e) {
      throw new Refusal(folder + ": cannot be listed: " + e.getMessage());
    }
  }

  private static boolean isCandidate(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return Files.isRegularFile(file)
        && (name.endsWith(".json") || name.endsWith(".yaml") || name.endsWith(".yml"));
  }

  private void runIfScenario(Path file) {
    try {
      DocumentSource source = DocumentSource.read(file);
      DocumentKind kind = DocumentKind.of(source);
      if (kind == DocumentKind.SCENARIO
          || kind == DocumentKind.GRAPH_SCENARIO
          || TestPlan.isPublished(file)) {
        run(file, source);
      }
    } catch (DocumentProblem problem) {
      // Other files are ignored, but silence about a scenario looks like success.
      if (mentionsScenario(file)) {
        refuse(file, problem);
      }
    }
  }

  private static boolean mentionsScenario(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] head = in.readNBytes(HEAD_BYTES);
      return new String(head, StandardCharsets.ISO_8859_1).contains("scenario");
    } catch (IOException e) {
      return true;
    }
  }

  private void run(Path file) {
    try {
      run(file, DocumentSource.read(file));
    } catch (DocumentProblem problem) {
      refuse(file, problem);
    }
  }

  private void run(Path file, DocumentSource source) {
    try {
      if (DocumentKind.of(source) == DocumentKind.GRAPH_SCENARIO || TestPlan.isPublished(file)) {
        for (TestPlan plan : TestPlan.readAll(file, stubs)) {
          PlanResult result = plan.run();
          report(result.title(), adapted(result));
        }
        return;
      }
      if (GraphFiles.isGraph(file, source)) {
        bundle(file);
        return;
      }
      ScenarioDocument scenario = new ScenarioReader().read(source, file);
      var _ = LoadedDocument.compile(file.toString(), scenario.workflow());
      report(
          scenario.title(),
          scenario.isGuided() ? GuidedScenario.run(scenario) : ScenarioRunner.run(scenario));
    } catch (DocumentProblem | Rejected | Refusal problem) {
      refuse(file, problem);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refusal("interrupted");
    }
  }

  /// A bundle has no plans: it passes when each of its orchestrations can be run.
  private void bundle(Path file) {
    GraphFiles.readAll(file, null)
        .forEach((id, each) -> {
          List<ScenarioResult.Mismatch> mistakes = new ArrayList<>();
          for (Diagnostic diagnostic : each.obstacles(null, null)) {
            String line = GraphFiles.described(file, null, diagnostic);
            mistakes.add(new ScenarioResult.Mismatch(0, "an orchestration that can be run", line));
          }
          String name = id.isEmpty() ? each.id() : id;
          report("is valid; plans name it under 'graph'", new ScenarioResult(name, mistakes, ""));
        });
  }

  private static ScenarioResult adapted(PlanResult result) {
    List<ScenarioResult.Mismatch> failures = new ArrayList<>();
    for (PlanResult.Mismatch each : result.failures()) {
      failures.add(new ScenarioResult.Mismatch(each.step(), each.expected(), each.actual()));
    }
    return new ScenarioResult(result.scenario(), failures, String.join("\n", result.story()));
  }

  private void refuse(Path file, RuntimeException problem) {
    invalid++;
    String message = Lines.oneLine(String.valueOf(problem.getMessage()));
    streams.err().println("damask: " + message);
    if (json) {
      var mismatch = new ScenarioResult.Mismatch(0, "a scenario document", message);
      print(new ScenarioResult(file.toString(), List.of(mismatch), ""));
    }
  }

  private void report(String title, ScenarioResult result) {
    if (result.passes()) {
      passed++;
    } else {
      failed++;
    }
    if (json) {
      print(result);
      return;
    }
    String word = result.passes() ? "pass" : "FAIL";
    streams.out().println((word + "  " + result.scenario() + "  " + title).strip());
    if (!result.passes()) {
      result.failures().forEach(failure -> streams.out().println("      " + failure));
      result.trace().lines().forEach(line -> streams.out().println("      " + line));
    }
  }

  private void print(ScenarioResult result) {
    List<Object> failures = new ArrayList<>();
    for (ScenarioResult.Mismatch each : result.failures()) {
      failures.add(
          JsonWriter.object(
              "step", each.step(), "expected", each.expected(), "actual", each.actual()));
    }
    streams
        .out()
        .println(
            JsonWriter.line(
                JsonWriter.object(
                    "scenario", result.scenario(),
                    "pass", result.passes(),
                    "failures", failures)));
  }
}
