package dev.damask.orchestration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Keeps the page `docs/reference/orchestration.md` in step with the readers of documents.
final class OrchestrationReferenceTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "orchestration.md");
  private static final Path SOURCES = Path.of("src/main/java/dev/damask/orchestration");

  private static final String AGAIN =
      "mvn -pl orchestration -am test -Dtest=OrchestrationReferenceTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Dregenerate=-Ddamask.regenerate=true";

  /// A call that names every key an object may have.
  private static final Pattern KEYS =
      Pattern.compile("(?s)(?:reading\\.known|requireOnly)\\((.*?)\\)[;.,]");

  private static final Pattern WORD = Pattern.compile("\"([A-Za-z][A-Za-z0-9]*)\"");

  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)*)\"");
  private static final Pattern CODE = Pattern.compile("[A-Z][A-Z0-9]*_[A-Z0-9_]+");

  /// The objects each reader reads, in the order it reads them.
  private static final Map<String, List<String>> OBJECTS =
      new TreeMap<>(
          Map.of(
              "GraphReader",
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

    assertThat(PAGE).as("write it anew by: " + AGAIN).hasContent(page);
  }

  @Test
  void every_object_that_is_read_has_its_name_on_the_page() throws IOException {
    for (Map.Entry<String, List<String>> entry : OBJECTS.entrySet()) {
      assertThat(keys(entry.getKey())).as(entry.getKey()).hasSameSizeAs(entry.getValue());
    }
  }

  private static String source(String type) throws IOException {
    return Files.readString(SOURCES.resolve(type + ".java"));
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
    out.append("<!-- Generated from the readers of documents; never edited by hand. To write it")
        .append(" anew:\n     ")
        .append(AGAIN)
        .append(" -->\n\nWhat they mean is told in [orchestrations](../orchestration.md). A key")
        .append(" that is not listed is an error.\n\n## Fields\n\n| object | keys |\n|---|---|\n");
    for (String type :
        List.of("GraphReader", "RuleReader", "BranchReader", "ValueReader", "Bundle")) {
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
        .append(".\n\n## Limits\n\n| cap | of | maximum |\n|---|---|---|\n");
    for (Cap cap : Cap.values()) {
      String breach = cap.breach(0);
      String what = breach.substring(breach.indexOf('(') + 1, breach.indexOf("):"));
      out.append("| `%s` | %s | %,d |\n".formatted(cap.name(), what, cap.max));
    }
    out.append("\n## Codes\n\nWhat `damask check` and the registry say, with the beginning of a")
        .append(" message.\n\n| code | message |\n|---|---|\n");
    codes()
        .forEach((code, text) ->
            out.append("| `").append(code).append("` | ").append(text).append(" |\n"));
    return out.toString();
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

  private static Map<String, String> codes() throws IOException {
    Map<String, String> codes = new TreeMap<>();
    try (Stream<Path> files = Files.list(SOURCES)) {
      for (Path file : files.sorted().toList()) {
        String text = Files.readString(file);
        for (MatchResult found : LITERAL.matcher(text).results().toList()) {
          if (CODE.matcher(found.group(1)).matches()) {
            codes.merge(
                found.group(1),
                message(text.substring(found.end())),
                (one, other) -> one.isEmpty() ? other : one);
          }
        }
      }
    }
    return codes;
  }

  /// The first literal behind a code that reads like a sentence; empty when the message is made
  /// elsewhere.
  private static String message(String behind) {
    for (MatchResult literal : LITERAL.matcher(behind.split(";", 2)[0]).results().toList()) {
      String words = literal.group(1).strip();
      if (words.matches("[a-z].* .* .*") || words.matches("[a-z].* [a-z].*")) {
        return words.replaceAll("[^a-zA-Z0-9.)%]+$", "") + " …";
      }
    }
    return "";
  }
}
