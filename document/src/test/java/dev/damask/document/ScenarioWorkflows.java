package dev.damask.document;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The workflows of the project's scenarios, which use every form of the language.
final class ScenarioWorkflows {
  private static final Path SCENARIOS = Path.of("..", "scenarios");

  private ScenarioWorkflows() {}

  static Map<Path, WorkflowDocument> all() {
    Map<Path, WorkflowDocument> all = new TreeMap<>();
    try (Stream<Path> files = Files.list(SCENARIOS)) {
      files
          .filter(file -> file.toString().endsWith(".json"))
          .forEach(file -> all.put(file, read(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }

  private static WorkflowDocument read(Path file) {
    FieldReader scenario = FieldReader.ofScenario(DocumentSource.read(file));
    return new DocumentReader().readNested(scenario, "workflow");
  }
}
