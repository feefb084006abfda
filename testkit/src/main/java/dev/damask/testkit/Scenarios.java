package dev.damask.testkit;

import dev.damask.scenario.ScenarioReader;
import dev.damask.scenario.ScenarioResult;
import dev.damask.scenario.ScenarioRunner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/// Runs scenario documents as JUnit tests, one test per document.
///
/// ```
/// @TestFactory
/// Stream<DynamicTest> scenarios() {
///   return Scenarios.tests(Path.of("src/test/scenarios"));
/// }
/// ```
public final class Scenarios {
  private static final List<String> ENDINGS = List.of(".json", ".yaml", ".yml");
  private static final Pattern KEY = Pattern.compile("(?m)(^|[{,])\\s*\"?scenario\"?\\s*:");

  private Scenarios() {}

  /// Returns one test for a file, or one for each document with the key `scenario` in a directory.
  /// Throws `IllegalArgumentException` if a directory has none, so that a wrong path is not a
  /// passing test.
  @SuppressWarnings("exports") // only callers of this method need JUnit
  public static Stream<DynamicTest> tests(Path fileOrFolder) {
    List<Path> files = files(fileOrFolder);
    if (files.isEmpty()) {
      throw new IllegalArgumentException(fileOrFolder + ": no scenario found");
    }
    return files.stream()
        .map(file ->
            DynamicTest.dynamicTest(
                file.getFileName().toString(), file.toUri(), () -> require(file)));
  }

  /// Runs one scenario. Throws `AssertionError` with every difference and the trace if it fails.
  public static void require(Path file) {
    ScenarioResult result = ScenarioRunner.run(new ScenarioReader().read(file));
    if (!result.passes()) {
      throw new AssertionError(result.describe());
    }
  }

  private static boolean isScenario(Path file) {
    try {
      return KEY.matcher(Files.readString(file)).find();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> files(Path fileOrFolder) {
    if (!Files.isDirectory(fileOrFolder)) {
      return List.of(fileOrFolder);
    }
    try (Stream<Path> files = Files.list(fileOrFolder)) {
      return files
          .filter(file -> ENDINGS.stream().anyMatch(file.toString()::endsWith))
          .filter(Scenarios::isScenario)
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
