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
@Timeout(20)
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

  private static String quickProblem(String name, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    long begin = System.nanoTime();
    String problem = problem(name, bytes);
    // Generous, because other work shares the machine; alone it takes a tenth of this.
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(1));
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
        .isEqualTo("w.yaml:1:15: unknown key 'to'; did you mean 'do'? (and 1 more problem)");
    assertThat(problem("{workflow: w, do: {tsk: A}}"))
        .startsWith("w.yaml:1:19: do: a term has one of the keys task, set, skip,")
        .endsWith("found tsk; is 'tsk' meant to be 'task'?");
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
        .isEqualTo("w.yaml:1:1: the key 'workflow' is missing; it holds a name");
    assertThat(problem("{workflow: w, do: {task: ''}}"))
        .isEqualTo("w.yaml:1:26: do.task: expected a name, found empty text");
    assertThat(problem("{workflow: w, do: {mi: m, do: {task: A}}}"))
        .isEqualTo("w.yaml:1:19: do: the key 'count' is missing; it holds an expression");
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
        .isEqualTo("w.yaml:7:7: do.graph.nodes: the key 'a' is there twice, first at line 6");
    assertThat(
            problem(
                "w.json",
                "{\"workflow\": \"w\", \"workflow\": 1}".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("w.json:1:19: the key 'workflow' is there twice, first at line 1");
  }

  @Test
  void several_problems_are_counted_and_kept() {
    try {
      new DocumentReader().read("w.yaml", "{workflow: w, a: 1, b: 2, do: {skip: true}}");
    } catch (DocumentProblem problem) {
      assertThat(problem.findings()).hasSize(2);
      assertThat(problem.getMessage()).endsWith("(and 1 more problem)");
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
    long begin = System.nanoTime();

    try {
      new DocumentReader().read(file);
      assertThat(file).as("must not be read").isNull();
    } catch (DocumentProblem problem) {
      assertThat(problem)
          .hasMessage(file + ":1:1: a document has at most 16777216 bytes, found 50000000");
    }

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMillis(200));
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

    assertThat(quickProblem("w.json", open + brackets)).endsWith("nests at most 256 deep");
    assertThat(quickProblem("w.yaml", "workflow: w\ndo: " + brackets))
        .endsWith("nests at most 256 deep");
    assertThat(quickProblem("w.yaml", flow)).endsWith("nests at most 256 deep");
    assertThat(quickProblem("w.yaml", block.toString())).endsWith("nests at most 256 deep");
  }

  @Test
  void numbers_that_are_too_long_or_too_large_are_refused() {
    String million = "1".repeat(1_000_000);
    String json = "{\"workflow\": \"w\", \"context\": {\"n\": %s}, \"do\": {\"skip\": true}}";
    String yaml = "workflow: w\ncontext: {n: %s}\ndo: {skip: true}\n";

    assertThat(quickProblem("w.json", json.formatted(million)))
        .isEqualTo("w.json:1:36: a number has at most 1000 digits, found 1000000");
    assertThat(quickProblem("w.yaml", yaml.formatted(million)))
        .isEqualTo("w.yaml:2:14: context.n: a number has at most 1000 digits, found 1000000");
    for (String large : new String[] {"1e999999999", "1E-999999999", "1.5e9999999999999999999"}) {
      assertThat(quickProblem("w.json", json.formatted(large)))
          .isEqualTo("w.json:1:36: context.n: the exponent of a number is at most 1000");
      assertThat(quickProblem("w.yaml", yaml.formatted(large)))
          .isEqualTo("w.yaml:2:14: context.n: the exponent of a number is at most 1000");
    }
    assertThat(problem(yaml.formatted("1e400")))
        .endsWith("a number with a fraction or an exponent is at most 1.8e308");
    assertThat(problem(yaml.formatted(".inf"))).endsWith("a number is finite, found .inf");
  }

  @Test
  void texts_and_names_have_a_largest_size() {
    assertThat(quickProblem("w.yaml", "workflow: '" + "x".repeat(70_000) + "'"))
        .isEqualTo("w.yaml:1:11: workflow: a text has at most 65536 bytes, found one of 70000");
    assertThat(quickProblem("w.json", "{\"workflow\": \"" + "x".repeat(70_000) + "\"}"))
        .endsWith("workflow: a text has at most 65536 bytes");
    assertThat(problem("? " + "x".repeat(129) + "\n: 1\n"))
        .isEqualTo("w.yaml:1:3: a name has at most 128 bytes, found one of 129");
    assertThat(problem("{workflow: w, do: {task: " + "x".repeat(129) + "}}"))
        .isEqualTo("w.yaml:1:19: do: task: a name has at most 128 bytes, got 129");
  }

  @Test
  void a_document_with_too_many_values_is_refused() {
    assertThat(
            problem(
                "w.json", ("[" + "1,".repeat(1_100_000) + "1]").getBytes(StandardCharsets.UTF_8)))
        .endsWith("a document has at most 1000000 values");
  }

  @Test
  void what_is_not_utf8_is_refused_with_its_place() {
    byte[] broken = "workflow: w\ndo: {task: \"A\"}\n".getBytes(StandardCharsets.UTF_8);
    broken[24] = (byte) 0xC3;

    assertThat(problem("w.yaml", broken)).isEqualTo("w.yaml:2:1: byte 24 is not UTF-8");
    assertThat(problem("w.yaml", "\uFEFFworkflow: w".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(
            "w.yaml:1:1: the file begins with a byte order mark; save the file as UTF-8 without a"
                + " byte order mark");
    assertThat(problem("w.yaml", "workflow: w".getBytes(StandardCharsets.UTF_16LE)))
        .isEqualTo(
            "w.yaml:1:1: the file is UTF-16 or UTF-32; save the file as UTF-8 without a byte order"
                + " mark");
    assertThat(problem("w.json", "{\"workflow\": \"\\ud800\"}".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("w.json:1:14: workflow: a text holds half a character, \\ud800");
  }

  @Test
  void keys_that_are_not_text_are_refused() {
    assertThat(problem("{workflow: w, context: {1: a}, do: {skip: true}}"))
        .isEqualTo("w.yaml:1:25: context: a key is text; write \"1\" in quotes");
    assertThat(problem("? [a, b]\n: 1\n"))
        .isEqualTo("w.yaml:1:3: a key is text, found a list or an object");
  }

  @Test
  void an_expression_that_does_not_parse_or_is_too_costly_is_told_with_its_place() {
    assertThat(problem("{workflow: w, do: {set: {a: 'b +'}}}"))
        .isEqualTo("w.yaml:1:29: do.set.a: expression 'b +' at 1:4: mismatched input '<EOF>'");
    assertThat(problem("{workflow: w, do: {set: {a: '" + "x+".repeat(600) + "x'}}}"))
        .startsWith("w.yaml:1:29: do.set.a: expression 'x+x+")
        .endsWith("an expression has at most 1024 bytes, found 1201");
    assertThat(problem("{workflow: w, do: {task: A, effect: {with: {a: 'x ${b'}}}}"))
        .isEqualTo("w.yaml:1:44: do.effect.with: '${b': ${ is not closed by }");
  }

  @Test
  void text_that_is_neither_yaml_nor_json_is_told() {
    assertThat(problem("workflow: [w\n"))
        .isEqualTo("w.yaml:2:1: workflow[1]: not YAML: expected ',' or ']', but got <stream end>");
    assertThat(problem("w.json", "{\"workflow\": }".getBytes(StandardCharsets.UTF_8)))
        .startsWith("w.json:1:14: not JSON: Unexpected character ('}'");
    assertThat(problem("")).isEqualTo("w.yaml:1:1: the document is empty");
    assertThat(problem("w.json", "{} {}".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("w.json:1:4: text after the end");
    assertThat(problem("a: 1\n---\nb: 2\n"))
        .isEqualTo("w.yaml:2:1: a file holds one document, found a second one");
  }

  @Test
  void a_missing_file_and_a_directory_are_told(@TempDir Path folder) {
    for (Path path : new Path[] {folder.resolve("none.yaml"), folder}) {
      try {
        new DocumentReader().read(path);
        assertThat(path).as("must not be read").isNull();
      } catch (DocumentProblem problem) {
        assertThat(problem.getMessage())
            .isIn(path + ":1:1: the file does not exist", path + ":1:1: the file is a directory");
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
        .isEqualTo("w.yaml:1:42: do: a fork has at most 2 branches, found 3");
    assertThat(problem("{workflow: w, limits: {nodes: 2}, do: [{task: A}, {task: B}]}"))
        .isEqualTo("w.yaml:1:39: do: a term has at most 2 nodes, found 3");
  }
}
