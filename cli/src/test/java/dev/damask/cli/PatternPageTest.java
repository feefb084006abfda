package dev.damask.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.JsonFiles;
import dev.damask.compile.Compiler;
import dev.damask.drawing.Drawing;
import dev.damask.json.JsonWriter;
import dev.damask.program.Listing;
import dev.damask.scenario.ScenarioDocument;
import dev.damask.scenario.ScenarioReader;
import dev.damask.scenario.ScenarioResult;
import dev.damask.scenario.ScenarioRunner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The page of the 43 patterns is made from `Patterns.java` and the first scenario of each pattern.
/// To make it again: `mvn -q -pl cli -am test -Dtest=PatternPageTest
/// -Dsurefire.failIfNoSpecifiedTests=false -Ddamask.regenerate=true`.
final class PatternPageTest {
  private static final Path ROOT = Path.of("..");
  private static final Path PAGE = ROOT.resolve("docs/reference/patterns.md");
  private static final Path DIAGRAMS = ROOT.resolve("docs/reference/patterns");
  private static final Path SOURCE =
      ROOT.resolve("kernel/src/main/java/dev/damask/term/Patterns.java");
  private static final int PATTERNS = 43;
  private static final int WIDTH = 96;

  private static final Pattern METHOD =
      Pattern.compile(
          "  /// WCP-(\\d+): ((?:[^\n]*\n(?:  /// )?)+?)"
              + "(  public static (?:Term|Node|Split) .*?\n  }\n)",
          Pattern.DOTALL);

  /// A pattern as its source describes it.
  private record Described(String says, String method) {}

  private static SortedMap<Integer, Described> described() {
    SortedMap<Integer, Described> found = new TreeMap<>();
    Matcher matcher = METHOD.matcher(read(SOURCE));
    while (matcher.find()) {
      String says = matcher.group(2).replaceAll("\\s*(///)?\\s+", " ").strip();
      String method = matcher.group(3).indent(-2).strip();
      found.put(Integer.valueOf(matcher.group(1)), new Described(says, method));
    }
    return found;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path scenario(int number) {
    return ROOT.resolve("scenarios/T" + number + ".1.json");
  }

  private static String diagram(int number) {
    return String.format(Locale.ROOT, "wcp-%02d.svg", number);
  }

  private static String page() {
    StringBuilder page = new StringBuilder();
    page.append("# The 43 workflow patterns\n\n");
    page.append("This page is generated from `Patterns.java` and the scenarios; a test fails if");
    page.append(" it is stale.\n\n");
    page.append("Each section shows the Java method of a pattern and, for its first scenario, the");
    page.append(
        " document, the diagram, the byte code before optimisation, and the trace at level");
    page.append(" full without the creation and removal of tokens. The");
    page.append(" [semantics page](../semantics.md) explains the rules.\n\n");
    described().forEach((number, pattern) -> section(page, number, pattern));
    return page.toString();
  }

  private static void section(StringBuilder page, int number, Described pattern) {
    ScenarioDocument scenario = new ScenarioReader().read(scenario(number));
    ScenarioResult result = ScenarioRunner.run(scenario);
    Map<?, ?> fields = (Map<?, ?>) Objects.requireNonNull(JsonFiles.read(scenario(number)).plain());
    String name = pattern.method().replaceAll("(?s)public static \\w+ (\\w+).*", "$1");
    page.append("## WCP-").append(number).append(' ').append(name).append("\n\n");
    page.append(Character.toUpperCase(pattern.says().charAt(0)));
    page.append(pattern.says().substring(1)).append("\n\n");
    block(page, "java", pattern.method());
    page.append("Scenario `").append(scenario.name()).append("`: ").append(scenario.title());
    page.append(".\n\n");
    block(page, "json", pretty(Objects.requireNonNull(fields.get("workflow")), 0));
    page.append("![").append(name).append("](patterns/").append(diagram(number)).append(")\n\n");
    block(page, "", Listing.raw(Compiler.compile(scenario.workflow().workflow())).strip());
    String trace =
        result
            .trace()
            .lines()
            .filter(line -> !line.contains(" TOKEN "))
            .map(line -> line.replaceFirst("1970-01-01T([0-9:.]+)Z", "$1"))
            .collect(Collectors.joining("\n"));
    block(page, "", trace);
  }

  private static void block(StringBuilder page, String language, String text) {
    page.append("```").append(language).append('\n').append(text).append("\n```\n\n");
  }

  /// JSON with everything on one line that fits there.
  private static String pretty(Object value, int indent) {
    String line = JsonWriter.line(value);
    if (indent + line.length() <= WIDTH) {
      return line;
    }
    String inner = " ".repeat(indent + 2);
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(e -> inner + JsonWriter.line(e.getKey()) + ": " + pretty(e.getValue(), indent + 2))
          .collect(Collectors.joining(",\n", "{\n", "\n" + " ".repeat(indent) + "}"));
    }
    if (value instanceof List<?> list) {
      return list.stream()
          .map(each -> inner + pretty(each, indent + 2))
          .collect(Collectors.joining(",\n", "[\n", "\n" + " ".repeat(indent) + "]"));
    }
    return line;
  }

  private static SortedMap<String, String> diagrams() {
    SortedMap<String, String> diagrams = new TreeMap<>();
    for (int number = 1; number <= PATTERNS; number++) {
      ScenarioDocument scenario = new ScenarioReader().read(scenario(number));
      diagrams.put(diagram(number), Drawing.svg(scenario.workflow().workflow()));
    }
    return diagrams;
  }

  @Test
  void the_page_and_its_diagrams_are_as_fresh_as_their_sources() throws IOException {
    if (Boolean.getBoolean("damask.regenerate")) {
      Files.createDirectories(DIAGRAMS);
      Files.writeString(PAGE, page());
      for (Map.Entry<String, String> each : diagrams().entrySet()) {
        Files.writeString(DIAGRAMS.resolve(each.getKey()), each.getValue());
      }
    }

    assertThat(read(PAGE))
        .as("stale: run this test with -Ddamask.regenerate=true")
        .isEqualTo(page());
    diagrams()
        .forEach((name, svg) -> assertThat(read(DIAGRAMS.resolve(name))).as(name).isEqualTo(svg));
  }

  @Test
  void every_pattern_is_on_the_page_and_its_scenario_passes() {
    assertThat(described()).hasSize(PATTERNS).containsKeys(1, 18, 43);
    for (int number = 1; number <= PATTERNS; number++) {
      ScenarioDocument scenario = new ScenarioReader().read(scenario(number));
      assertThat(ScenarioRunner.run(scenario).failures()).as("T%s.1", number).isEmpty();
    }
  }
}
