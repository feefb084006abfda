package dev.damask.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.document.DocumentReader;
import dev.damask.term.WorkflowDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The program hash of an unchanged workflow never changes: a stored case is found by it.
final class GoldenHashTest {
  private static final Path HASHES = Path.of("src", "test", "resources", "golden", "hashes-1.txt");
  private static final Path ROOT = Path.of("..");

  @Test
  void every_workflow_that_was_hashed_once_has_the_same_hash_today() throws IOException {
    List<String> lines = Files.readAllLines(HASHES);

    assertThat(lines).hasSizeGreaterThan(190);
    assertThat(lines)
        .allSatisfy(line -> {
          String file = line.substring(0, line.indexOf(' '));
          assertThat(line(ROOT.resolve(file))).isEqualTo(line);
        });
  }

  private static String line(Path file) {
    return ROOT.relativize(file) + " " + Compiler.compile(workflow(file)).hash();
  }

  private static WorkflowDefinition workflow(Path file) {
    return file.toString().contains("scenario")
        ? new ScenarioReader().read(file).workflow().workflow()
        : new DocumentReader().read(file).workflow();
  }

  /// Prints the lines of the golden file for new documents; existing lines are never changed.
  public static void main(String[] arguments) throws IOException {
    for (String folder : List.of("scenarios", "examples/documents")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
        files
            .filter(file -> !file.toString().contains("events"))
            .sorted()
            .map(GoldenHashTest::line)
            .forEach(System.out::println);
      }
    }
  }
}
