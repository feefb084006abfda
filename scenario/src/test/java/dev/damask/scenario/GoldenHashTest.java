package dev.damask.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.document.DocumentReader;
import dev.damask.term.WorkflowDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The program hash of an unchanged workflow never changes: a stored case is found by it.
///
/// `hashes-1.txt` has the documents up to version 1 of the list. A new document gets a line in
/// `hashes-2.txt`, which [#main] prints; existing lines are never changed.
final class GoldenHashTest {
  private static final Path GOLDEN = Path.of("src", "test", "resources", "golden");
  private static final Path ROOT = Path.of("..");
  private static final List<String> DIRECTORIES = List.of("scenarios", "examples/documents");

  @Test
  void every_workflow_that_was_hashed_once_has_the_same_hash_today() throws IOException {
    assertThat(lines())
        .allSatisfy(line -> {
          String file = line.substring(0, line.indexOf(' '));
          assertThat(line(ROOT.resolve(file))).isEqualTo(line);
        });
  }

  @Test
  void every_scenario_and_every_example_has_a_hash() throws IOException {
    List<String> hashed = new ArrayList<>();
    for (String line : lines()) {
      hashed.add(line.substring(0, line.indexOf(' ')));
    }

    assertThat(hashed).doesNotHaveDuplicates();
    assertThat(new TreeSet<>(hashed)).isEqualTo(documents());
    assertThat(hashed).hasSizeGreaterThan(300);
  }

  private static List<String> lines() throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(GOLDEN.resolve("hashes-1.txt")));
    lines.addAll(Files.readAllLines(GOLDEN.resolve("hashes-2.txt")));
    return lines;
  }

  /// The files with a workflow; an event file has none.
  private static TreeSet<String> documents() throws IOException {
    TreeSet<String> documents = new TreeSet<>();
    for (String directory : DIRECTORIES) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(directory))) {
        files
            .filter(Files::isRegularFile)
            .map(file -> ROOT.relativize(file).toString())
            .filter(file -> !file.contains("events"))
            .forEach(documents::add);
      }
    }
    return documents;
  }

  private static String line(Path file) {
    return ROOT.relativize(file) + " " + Compiler.compile(workflow(file)).hash();
  }

  private static WorkflowDefinition workflow(Path file) {
    return file.toString().contains("scenario")
        ? new ScenarioReader().read(file).workflow().workflow()
        : new DocumentReader().read(file).workflow();
  }

  /// Prints the lines of all documents that have none.
  public static void main(String[] arguments) throws IOException {
    List<String> known = lines();
    for (String file : documents()) {
      if (known.stream().noneMatch(line -> line.startsWith(file + " "))) {
        System.out.println(line(ROOT.resolve(file)));
      }
    }
  }
}
