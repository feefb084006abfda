package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.graph.GraphDocument;
import dev.damask.rule.RuleDocument;
import dev.damask.rule.RuleSource;
import dev.damask.step.Lowering;
import dev.damask.step.StepParts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The hashes of unchanged graphs and rules never change: a session is pinned to the hash of its
/// graph, its case is found by the hash of the program, and an evaluation that waits for an effect
/// continues with the rule of its hash.
final class GoldenDocumentTest {
  private static final Path EXAMPLES = Path.of("..", "examples");

  private static final Path GOLDEN =
      Path.of("src", "test", "resources", "golden", "documents-1.txt");

  private static final String GRAPH =
      """
      {"structure": {
         "Quote": {"rule": "0xAB", "onValid": {"spawns": ["P", "Q"], "join":
           {"joinid": "Pick", "mode": {"kofn": 1}, "waitonjoin": "kill",
            "from": [{"node": "P", "when": "valid"}, {"node": "Q", "when": "any"}]}}},
         "P": {"rule": "p"}, "Q": {"rule": "p", "onInvalid": {"spawns": ["Q"]}},
         "Pick": {"rule": "pick"}},
       "id": "golden"}
      """;

  private static final String RULE =
      """
      {"payload": {"n": {"type": "int64"}, "c": {"type": "uint256", "default": "12"}},
       "contractReads": [{"to": "0xab", "function": "price(n)(uint256)",
         "args": [{"type": "int64", "expr": "[n]"}],
         "saveAs": {"0": {"key": "price", "type": "double", "default": 1.5}}}],
       "apiCalls": [{"name": "rates", "method": "GET", "urlTemplate": "http://h/[n]",
         "extractMap": {"rate": {"type": "double", "value": "resp.rate", "default": 0.5}}}],
       "rules": ["[n] > 0", {"expression": "[rate] > 9.0", "type": "abortStep"}],
       "onValid": {"payload": {"n": "[n]", "t": "n is [n]"}, "waitSec": 60},
       "onInvalid": {"payload": {"why": "too small"}}}
      """;

  private static String program(String graph) {
    StepParts parts = StepParts.of(new RuleSource.Cache(_ -> null));
    return Compiler.compile(Lowering.workflow(GraphDocument.read(graph), parts)).hash().toString();
  }

  @Test
  void a_graph_has_the_hash_that_it_had_and_compiles_to_the_same_program() {
    assertThat(GraphDocument.read(GRAPH).hash())
        .isEqualTo("29dc213161ed710b9f0a631f9ea741832f543bfb84404e1ec5448467dd0415cb");
    assertThat(program(GRAPH)).isEqualTo("e9facbadd4eb4be3eb39420c5ad612e4");
  }

  @Test
  void a_rule_has_the_hash_that_it_had() {
    assertThat(RuleDocument.read(RULE).hash())
        .isEqualTo("5b48bfd653dddcf832b2e16497cb03a53662b4f9e19ee611fcec45d33109a552");
  }

  @Test
  void the_graphs_and_rules_of_the_examples_have_the_hashes_that_they_had() throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.walk(EXAMPLES, 3)) {
      for (Path file :
          files
              .filter(file -> file.toString().matches(".*/[a-z-]+/(graph|rules/[a-z]+)\\.json"))
              .sorted()
              .toList()) {
        String text = Files.readString(file);
        boolean isGraph = file.endsWith("graph.json");
        lines.add(
            EXAMPLES.relativize(file)
                + " "
                + (isGraph ? GraphDocument.read(text).hash() : RuleDocument.read(text).hash()));
      }
    }

    assertThat(lines).isEqualTo(Files.readAllLines(GOLDEN));
  }
}
