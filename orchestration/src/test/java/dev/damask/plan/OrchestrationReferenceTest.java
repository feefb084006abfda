package dev.damask.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.rule.ValueType;
import dev.damask.source.DiagnosticCode;
import dev.damask.source.Limit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Keeps the page `docs/reference/orchestration.md` in step with the readers of documents.
final class OrchestrationReferenceTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "orchestration.md");
  private static final Path SOURCES = Path.of("src/main/java/dev/damask");

  private static final String AGAIN =
      "mvn -pl orchestration -am test -Dtest=OrchestrationReferenceTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Dregenerate=-Ddamask.regenerate=true";

  /// A call that names every key an object may have.
  private static final Pattern KEYS =
      Pattern.compile("(?s)(?:reading\\.known|requireOnly)\\((.*?)\\)[;.,]");

  private static final Pattern WORD = Pattern.compile("\"([A-Za-z][A-Za-z0-9]*)\"");

  private static final Pattern SAID = Pattern.compile("DiagnosticCode\\.([A-Z0-9_]+)");

  /// A code that is written as a text and so has no sentences.
  private static final Pattern CODE = Pattern.compile("\"[A-Z][A-Z0-9]*_[A-Z0-9_]+\"");

  /// The objects each reader reads, in the order it reads them.
  private static final Map<String, List<String>> OBJECTS =
      new TreeMap<>(
          Map.of(
              "GraphDocumentReader",
              List.of("graph document", "step", "branch of a step", "join", "entry of `from`"),
              "RuleReader",
              List.of(
                  "rule document",
                  "payload field",
                  "state read (`contractReads`)",
                  "output of a read (`saveAs`)",
                  "API call (`apiCalls`)",
                  "extract (`extractMap`)"),
              "BranchReader",
              List.of("branch of a rule", "execution", "`gas`", "grant", "wake-up (`wakeUps`)"),
              "ValueReader",
              List.of("typed value"),
              "Bundle",
              List.of("bundle file", "bundle", "item of a bundle"),
              "TestPlan",
              List.of("test plan"),
              "PlanStubs",
              List.of("`stubs` of a plan"),
              "PlanReader",
              List.of(
                  "`waitForStep`",
                  "`wake`",
                  "`runtime`, `startSession`",
                  "`expectations`, `assertSession`",
                  "entry of `timeline`",
                  "alternative of a timeline",
                  "assertion")));

  @Test
  void the_page_is_fresh() throws IOException {
    String page = page();
    if (Boolean.getBoolean("damask.regenerate")) {
      Files.writeString(PAGE, page);
    }

    assertThat(PAGE).as("regenerate it with: " + AGAIN).hasContent(page);
  }

  @Test
  void every_object_that_is_read_has_its_name_on_the_page() throws IOException {
    for (Map.Entry<String, List<String>> entry : OBJECTS.entrySet()) {
      assertThat(keys(entry.getKey())).as(entry.getKey()).hasSameSizeAs(entry.getValue());
    }
  }

  @ParameterizedTest
  @EnumSource(DiagnosticCode.class)
  void every_code_says_in_sentences_what_is_wrong_and_what_to_do(DiagnosticCode code) {
    assertThat(code.wrong()).matches("[A-Z].{10,}\\.");
    assertThat(code.remedy()).matches("[A-Z].{5,}\\.");
    assertThat(code.wrong() + code.remedy()).doesNotContain("|", "\n");
  }

  @Test
  void every_code_is_said_by_somebody_and_nobody_says_another() throws IOException {
    TreeSet<String> said = new TreeSet<>();
    List<String> others = new ArrayList<>();
    try (Stream<Path> files = Files.walk(SOURCES)) {
      for (Path file :
          files
              .filter(Files::isRegularFile)
              .filter(each -> !each.endsWith("DiagnosticCode.java"))
              .toList()) {
        String text = Files.readString(file);
        SAID.matcher(text).results().forEach(found -> said.add(found.group(1)));
        CODE.matcher(text).results().forEach(found -> others.add(file + " " + found.group()));
      }
    }

    assertThat(said)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(DiagnosticCode.values()).map(DiagnosticCode::name).toList());
    assertThat(others).isEmpty();
  }

  private static String source(String type) throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      return Files.readString(
          files.filter(file -> file.endsWith(type + ".java")).findFirst().orElseThrow());
    }
  }

  private static List<List<String>> keys(String type) throws IOException {
    List<List<String>> keys = new ArrayList<>();
    for (MatchResult call : KEYS.matcher(source(type)).results().toList()) {
      List<String> words = WORD.matcher(call.group(1)).results().map(r -> r.group(1)).toList();
      if (!words.isEmpty()) {
        keys.add(words);
      }
    }
    return keys;
  }

  private static String page() throws IOException {
    StringBuilder out = new StringBuilder();
    out.append("# Orchestrations: fields, codes, limits\n\n");
    out.append("<!-- Generated from the readers of documents; do not edit. To regenerate")
        .append(" it:\n     ")
        .append(AGAIN)
        .append(" -->\n\n[Orchestrations](../orchestration.md) describes their meaning. A key")
        .append(" that is not listed is an error.\n\n## Fields\n\n| object | keys |\n|---|---|\n");
    for (String type :
        List.of("GraphDocumentReader", "RuleReader", "BranchReader", "ValueReader", "Bundle")) {
      objects(out, type);
    }
    out.append("\n## Test plans\n\n| object | keys |\n|---|---|\n");
    for (String type : List.of("TestPlan", "PlanStubs", "PlanReader")) {
      objects(out, type);
    }
    out.append("\nLists of assertions in an alternative: ")
        .append(list(Arrays.stream(PlanExpectation.Values.values()).map(v -> v.field())))
        .append(".\n\nOperators of assertions: ")
        .append(list(Arrays.stream(PlanAssertion.Operator.values()).map(o -> o.word())))
        .append(".\n\n## Types\n\n")
        .append(list(Arrays.stream(ValueType.values()).map(ValueType::word)))
        .append(".\n\n## Limits\n\n| limit | applies to | maximum |\n|---|---|---|\n");
    for (Limit cap : Limit.values()) {
      String breach = cap.breach(0);
      String what = breach.substring(breach.indexOf('(') + 1, breach.indexOf("):"));
      out.append("| `%s` | %s | %,d |\n".formatted(cap.name(), what, cap.max()));
    }
    out.append("\n## Codes\n\n`damask check`, `damask test` and the registry report these codes,")
        .append(
            " each with a sentence about the position.\n\n| code | what is wrong | what to do |\n")
        .append("|---|---|---|\n");
    Arrays.stream(DiagnosticCode.values())
        .sorted(Comparator.comparing(DiagnosticCode::name))
        .map(code ->
            "| `%s` | %s | %s |\n".formatted(code, marked(code.wrong()), marked(code.remedy())))
        .forEach(out::append);
    return out.toString();
  }

  /// Words in quotes are marked as code, so that an underscore in them stays one.
  private static String marked(String sentence) {
    return sentence.replaceAll("'([^' ]+)'", "`$1`");
  }

  private static void objects(StringBuilder out, String type) throws IOException {
    List<String> names = java.util.Objects.requireNonNull(OBJECTS.get(type));
    List<List<String>> keys = keys(type);
    for (int i = 0; i < names.size(); i++) {
      out.append("| ").append(names.get(i)).append(" | ");
      out.append(list(keys.get(i).stream())).append(" |\n");
    }
  }

  private static String list(Stream<String> words) {
    return words.map(word -> "`" + word + "`").collect(Collectors.joining(", "));
  }
}
