package dev.damask.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Each kind of bad input gets one clear line, soon.
@Timeout(60)
final class BadInputTest {
  private static String problem(String text) {
    return problem("w.yaml", text.getBytes(StandardCharsets.UTF_8));
  }

  private static String problem(String name, byte[] bytes) {
    try {
      return "no problem but " + new DocumentReader().read(name, bytes);
    } catch (DocumentProblem problem) {
      assertThat(problem.getMessage()).doesNotContain("\n").hasSizeLessThan(600);
      return String.valueOf(problem.getMessage());
    }
  }

  /// Other work may share the machine, so elapsed time says nothing.
  private static Duration cpuTime() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static String quickProblem(String name, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Duration begin = cpuTime();
    String problem = problem(name, bytes);
    assertThat(cpuTime().minus(begin)).isLessThan(Duration.ofSeconds(5));
    return problem;
  }

  @Test
  void an_unknown_key_is_named_with_its_place_and_the_nearest_known_one() {
    String text =
        """
        workflow: w
        do:
          - task: A
          - par:
              - {task: B, retri: {max: 2}}
              - task: C
        """;

    assertThat(problem(text))
        .isEqualTo("w.yaml:5:19: do[1].par[0]: unknown key 'retri'; did you mean 'retry'?");
    assertThat(problem("{workflow: w, to: {skip: true}}"))
        .isEqualTo("w.yaml:1:15: unknown key 'to'; did you mean 'do'? (and 1 more)");
    assertThat(problem("{workflow: w, do: {tsk: A}}"))
        .startsWith("w.yaml:1:19: do: a term must have one of the keys task, set, skip,")
        .endsWith("found tsk; did you mean 'task'?");
  }

  @Test
  void a_wrong_type_says_what_was_expected_and_what_was_found() {
    assertThat(problem("{workflow: w, do: {par: {task: A}}}"))
        .isEqualTo("w.yaml:1:25: do.par: expected a list, found an object");
    assertThat(problem("{workflow: w, do: {task: 5}}"))
        .isEqualTo("w.yaml:1:26: do.task: expected a name, found 5");
    assertThat(problem("{workflow: w, mode: implied, do: {skip: true}}"))
        .isEqualTo("w.yaml:1:21: mode: expected implicit or explicit, found 'implied'");
    assertThat(problem("{workflow: w, do: {task: A, timeout: soon}}"))
        .isEqualTo(
            "w.yaml:1:38: do.timeout: expected a duration such as PT10S or a number of seconds,"
                + " found 'soon'");
    assertThat(problem("{workflow: w, do: {loop: {while: 5}, do: {skip: true}}}"))
        .isEqualTo("w.yaml:1:34: do.loop.while: expected a condition, found 5");
    assertThat(problem("[1, 2]"))
        .isEqualTo("w.yaml:1:1: expected an object (workflow), found a list");
  }

  @Test
  void a_missing_name_is_told() {
    assertThat(problem("do: {task: A}"))
        .isEqualTo("w.yaml:1:1: the key 'workflow' is missing; expected a name");
    assertThat(problem("{workflow: w, do: {task: ''}}"))
        .isEqualTo("w.yaml:1:26: do.task: expected a name, found an empty string");
    assertThat(problem("{workflow: w, do: {mi: m, do: {task: A}}}"))
        .isEqualTo("w.yaml:1:19: do: the key 'count' is missing; expected an expression");
  }

  @Test
  void a_duplicate_id_is_told_with_the_first_one() {
    String text =
        """
        workflow: w
        do:
          graph:
            start: a
            nodes:
              a: {then: end}
              a: {then: end}
        """;

    assertThat(problem(text))
        .isEqualTo("w.yaml:7:7: do.graph.nodes: duplicate key 'a', first at line 6");
    assertThat(
            problem(
                "w.json",
                "{\"workflow\": \"w\", \"workflow\": 1}".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("w.json:1:19: duplicate key 'workflow', first at line 1");
  }

  @Test
  void several_problems_are_counted_and_kept() {
    try {
      new DocumentReader().read("w.yaml", "{workflow: w, a: 1, b: 2, do: {skip: true}}");
    } catch (DocumentProblem problem) {
      assertThat(problem.diagnostics()).hasSize(2);
      assertThat(problem.getMessage()).endsWith("(and 1 more)");
    }
  }

  @Test
  void yaml_anchors_and_aliases_are_refused_so_that_no_bomb_can_go_off() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x]\n");
    for (int i = 1; i < 30; i++) {
      bomb.append("a%d: &a%d [*a%d, *a%d, *a%d]\n".formatted(i, i, i - 1, i - 1, i - 1));
    }

    assertThat(quickProblem("w.yaml", bomb.toString()))
        .isEqualTo("w.yaml:1:5: a0: anchors and aliases are not allowed; write the value out");
    assertThat(problem("workflow: w\ndo: *x\n"))
        .isEqualTo("w.yaml:2:5: do: anchors and aliases are not allowed; write the value out");
  }

  @Test
  void a_document_of_fifty_megabytes_is_refused_unread(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("large.yaml");
    Files.write(file, new byte[50_000_000]);
    Duration begin = cpuTime();

    try {
      new DocumentReader().read(file);
      assertThat(file).as("must not be read").isNull();
    } catch (DocumentProblem problem) {
      assertThat(problem)
          .hasMessage(file + ": a document must have at most 16777216 bytes, got 50000000");
    }

    assertThat(cpuTime().minus(begin)).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void a_nesting_of_a_hundred_thousand_is_refused() {
    String open = "{\"workflow\": \"w\", \"do\": ";
    String brackets = "[".repeat(100_000);
    String flow = "{do: ".repeat(100_000);
    StringBuilder block = new StringBuilder("do:\n");
    for (int i = 0; i < 2_000; i++) {
      block.append(" ".repeat(i)).append("-\n");
    }

    assertThat(quickProblem("w.json", open + brackets))
        .endsWith("a document must nest at most 256 levels deep");
    assertThat(quickProblem("w.yaml", "workflow: w\ndo: " + brackets))
        .endsWith("a document must nest at most 256 levels deep");
    assertThat(quickProblem("w.yaml", flow))
        .endsWith("a document must nest at most 256 levels deep");
    assertThat(quickProblem("w.yaml", block.toString()))
        .endsWith("a document must nest at most 256 levels deep");
  }

  @Test
  void numbers_that_are_too_long_or_too_large_are_refused() {
    String million = "1".repeat(1_000_000);
    String json = "{\"workflow\": \"w\", \"context\": {\"n\": %s}, \"do\": {\"skip\": true}}";
    String yaml = "workflow: w\ncontext: {n: %s}\ndo: {skip: true}\n";

    assertThat(quickProblem("w.json", json.formatted(million)))
        .isEqualTo("w.json:1:36: a number must have at most 1000 digits, got 1000000");
    assertThat(quickProblem("w.yaml", yaml.formatted(million)))
        .isEqualTo(
            "w.yaml:2:11: context.n: a number must have at most 1000 digits; a longer one follows");
    assertThat(problem(yaml.formatted("1".repeat(1_001))))
        .isEqualTo("w.yaml:2:14: context.n: a number must have at most 1000 digits, got 1001");
    for (String large : new String[] {"1e999999999", "1E-999999999", "1.5e9999999999999999999"}) {
      assertThat(quickProblem("w.json", json.formatted(large)))
          .isEqualTo("w.json:1:36: context.n: the exponent of a number must be at most 1000");
      assertThat(quickProblem("w.yaml", yaml.formatted(large)))
          .isEqualTo("w.yaml:2:14: context.n: the exponent of a number must be at most 1000");
    }
    assertThat(problem(yaml.formatted("1e400")))
        .endsWith("a number with a fraction or an exponent must be at most 1.8e308");
    assertThat(problem(yaml.formatted(".inf"))).endsWith("a number must be finite, got .inf");
  }

  @Test
  void texts_and_names_have_a_largest_size() {
    assertThat(quickProblem("w.yaml", "workflow: '" + "x".repeat(70_000) + "'"))
        .isEqualTo("w.yaml:1:11: workflow: a string must have at most 65536 bytes, got 70000");
    assertThat(quickProblem("w.json", "{\"workflow\": \"" + "x".repeat(70_000) + "\"}"))
        .endsWith("workflow: a string must have at most 65536 bytes");
    assertThat(problem("? " + "x".repeat(129) + "\n: 1\n"))
        .isEqualTo("w.yaml:1:3: a key must have at most 128 bytes, got 129");
    assertThat(problem("{workflow: w, do: {task: " + "x".repeat(129) + "}}"))
        .isEqualTo("w.yaml:1:19: do: task: a name has at most 128 bytes, got 129");
  }

  @Test
  void yaml_that_goes_on_and_on_without_a_value_is_refused() {
    for (String text :
        new String[] {
          "workflow: \"" + "x".repeat(16_000_000) + "\"\n",
          "x".repeat(16_000_000) + ": 1\n",
          " ".repeat(16_000_000) + "a: 1\n",
          "# x\n".repeat(4_000_000) + "a: 1\n"
        }) {
      assertThat(quickProblem("w.yaml", text))
          .endsWith("more than 720896 characters follow without a value");
    }
  }

  @Test
  void a_document_with_too_many_values_is_refused() {
    assertThat(
            problem(
                "w.json", ("[" + "1,".repeat(1_100_000) + "1]").getBytes(StandardCharsets.UTF_8)))
        .endsWith("a document must have at most 500000 values");
  }

  @Test
  void what_is_not_utf8_is_refused_with_its_place() {
    byte[] broken = "workflow: w\ndo: {task: \"A\"}\n".getBytes(StandardCharsets.UTF_8);
    broken[24] = (byte) 0xC3;

    assertThat(problem("w.yaml", broken)).isEqualTo("w.yaml:2:1: byte 24 is not valid UTF-8");
    assertThat(problem("w.yaml", "\uFEFFworkflow: w".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(
            "w.yaml:1:1: the file begins with a byte order mark; save the file as UTF-8 without a"
                + " byte order mark");
    assertThat(problem("w.yaml", "workflow: w".getBytes(StandardCharsets.UTF_16LE)))
        .isEqualTo(
            "w.yaml:1:1: the file is UTF-16 or UTF-32; save the file as UTF-8 without a byte order"
                + " mark");
    assertThat(problem("w.json", "{\"workflow\": \"\\ud800\"}".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("w.json:1:14: workflow: a string contains an unpaired surrogate, \\ud800");
  }

  @Test
  void keys_that_are_not_text_are_refused() {
    assertThat(problem("{workflow: w, context: {1: a}, do: {skip: true}}"))
        .isEqualTo("w.yaml:1:25: context: a key must be a string; write \"1\" in quotes");
    assertThat(problem("? [a, b]\n: 1\n"))
        .isEqualTo("w.yaml:1:3: a key must be a string, found a list or an object");
  }

  @Test
  void an_expression_that_does_not_parse_or_is_too_costly_is_told_with_its_place() {
    assertThat(problem("{workflow: w, do: {set: {a: 'b +'}}}"))
        .isEqualTo(
            "w.yaml:1:29: do.set.a: expression 'b +' at 1:4: expected a value, found the end");
    assertThat(problem("{workflow: w, do: {set: {a: '" + "x+".repeat(600) + "x'}}}"))
        .startsWith("w.yaml:1:29: do.set.a: expression 'x+x+")
        .endsWith("an expression must have at most 1024 bytes, got 1201");
    assertThat(problem("{workflow: w, do: {task: A, effect: {with: {a: 'x ${b'}}}}"))
        .isEqualTo("w.yaml:1:44: do.effect.with: '${b': ${ is not closed by }");
  }

  @Test
  void text_that_is_neither_yaml_nor_json_is_told() {
    assertThat(problem("workflow: [w\n"))
        .isEqualTo(
            "w.yaml:2:1: workflow[1]: not valid YAML: expected ',' or ']', but got <stream end>");
    assertThat(problem("w.json", "{\"workflow\": }".getBytes(StandardCharsets.UTF_8)))
        .startsWith("w.json:1:14: not valid JSON: Unexpected character ('}'");
    assertThat(problem("")).isEqualTo("w.yaml:1:1: the document is empty");
    assertThat(problem("w.json", "{} {}".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("w.json:1:4: unexpected text after the end");
    assertThat(problem("a: 1\n---\nb: 2\n"))
        .isEqualTo("w.yaml:2:1: a file must contain one document, found a second one");
  }

  @Test
  void a_missing_file_and_a_directory_are_told(@TempDir Path folder) {
    for (Path path : new Path[] {folder.resolve("none.yaml"), folder}) {
      try {
        new DocumentReader().read(path);
        assertThat(path).as("must not be read").isNull();
      } catch (DocumentProblem problem) {
        assertThat(problem.getMessage())
            .isIn(path + ": the file does not exist", path + ": the file is a directory");
      }
    }
  }

  @Test
  void what_the_terms_refuse_is_told_with_its_place() {
    assertThat(problem("{workflow: w, do: [{task: A}, {par: [{task: B}]}]}"))
        .isEqualTo("w.yaml:1:37: do[1].par: expected at least 2 entries, found 1");
    assertThat(problem("{workflow: w, do: {join: {need: 3}, branches: [{task: A}]}}"))
        .isEqualTo("w.yaml:1:19: do: join: need 3 of 1 branches can never be met");
    assertThat(
            problem(
                "{workflow: w, limits: {branches: 2}, do: {par: [{task: A}, {task: B}, {task:"
                    + " C}]}}"))
        .isEqualTo("w.yaml:1:42: do: a fork must have at most 2 branches, got 3");
    assertThat(problem("{workflow: w, limits: {nodes: 2}, do: [{task: A}, {task: B}]}"))
        .isEqualTo(
            "w.yaml:1:51: do[1]: a workflow must have at most 2 nodes; this one exceeds the limit");
  }
}
