package dev.damask.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.check.Diagnostic;
import dev.damask.source.DiagnosticCode;
import dev.damask.source.Rejected;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class GraphDocumentReaderTest {
  private static String graph(String join) {
    return """
    {"id": "g", "structure": {
      "A": {"rule": "a", "onValid": {"spawns": ["G", "H"], "join": %s}},
      "G": {"rule": "g"}, "H": {"rule": "h"}, "J": {"rule": "j"}}}
    """
        .formatted(join);
  }

  private static List<String> codes(String text) {
    return GraphDocumentReader.read(text, false).diagnostics().stream()
        .map(Diagnostic::code)
        .toList();
  }

  @Test
  void every_spelling_of_a_join_has_one_canonical_form() {
    String from = "\"from\": [{\"node\": \"G\", \"when\": \"valid\"}, {\"node\": \"H\"%s}]";
    List<String> spellings =
        List.of(
            "{\"joinid\": \"J\", \"mode\": \"kofn\", \"k\": 2, " + from.formatted("") + "}",
            "{\"joinid\": \"J\", \"mode\": {\"kofn\": 2}, \"waitonjoin\": \"drain\", "
                + from.formatted(", \"when\": \"both\"")
                + "}",
            "{\"joinid\": \"J\", \"mode\": {\"k\": 2}, "
                + from.formatted(", \"when\": \"\"")
                + "}");

    List<String> hashes =
        spellings.stream().map(each -> GraphDocument.read(graph(each)).hash()).distinct().toList();
    List<String> rawHashes =
        spellings.stream().map(each -> GraphDocument.read(graph(each)).rawHash()).toList();

    assertThat(hashes).hasSize(1);
    assertThat(rawHashes).doesNotHaveDuplicates();
  }

  @Test
  void a_join_without_mode_is_any_and_drains() {
    GraphDocument document =
        GraphDocument.read(graph("{\"joinid\": \"J\", \"from\": [{\"node\": \"G\"}]}"));

    GraphDocument.Join join =
        java.util.Objects.requireNonNull(
            java.util.Objects.requireNonNull(document.steps().get("A")).onValid().join());

    assertThat(join.mode()).isEqualTo(GraphDocument.Mode.ANY);
    assertThat(join.rest()).isEqualTo(GraphDocument.Rest.DRAIN);
    assertThat(document.canonical()).contains("\"when\":\"any\"").doesNotContain(" ");
  }

  @Test
  void the_canonical_form_reads_as_itself() {
    String text = graph("{\"joinid\": \"J\", \"mode\": \"all\", \"from\": [{\"node\": \"G\"}]}");

    String canonical = GraphDocument.read(text).canonical();

    assertThat(GraphDocument.read(canonical).canonical()).isEqualTo(canonical);
  }

  @Test
  void what_is_wrong_is_said_with_its_code_and_place() {
    String text =
        """
        {"id": "g",
         "structure": {
          "1A": {"rule": "a"},
          "B": {"onValid": {"spawns": ["Nowhere", "B"]}},
          "C": {"rule": "c", "onInvalid": {"join": {"joinid": "X", "from": []}}},
          "D": {"rule": "d", "onValid": {"spawns": ["B"], "join": {
             "joinid": "B", "mode": "kofn", "k": 3, "waitonjoin": "burn",
             "from": [{"node": "B", "when": "sometimes"}, {"node": "Y"}, {"node": "B"}]}}},
          "E": {"rule": "e", "next": "B"}
        }}
        """;

    List<Diagnostic> diagnostics = GraphDocumentReader.read(text, false).diagnostics();

    assertThat(diagnostics)
        .extracting(Diagnostic::code)
        .contains(
            "INVALID_STEP_ID",
            "STEP_RULE_MISSING",
            "SPAWN_TARGET_UNKNOWN",
            "SELF_SPAWN_RETRY_LOOP",
            "JOIN_TARGET_UNKNOWN",
            "JOIN_FROM_EMPTY",
            "JOIN_WAIT_INVALID",
            "JOIN_WHEN_INVALID",
            "JOIN_FROM_UNKNOWN",
            "JOIN_THRESHOLD_INVALID",
            "UNKNOWN_KEY");
    Diagnostic spawn =
        diagnostics.stream()
            .filter(n -> n.code().equals("SPAWN_TARGET_UNKNOWN"))
            .findFirst()
            .orElseThrow();
    assertThat(spawn.path()).isEqualTo("structure.B.onValid.spawns[0]");
    assertThat(spawn.line()).isEqualTo(4);
  }

  @Test
  void thresholds_must_fit_the_sources_and_the_mode() {
    String from = "\"from\": [{\"node\": \"G\"}, {\"node\": \"H\"}]";

    for (String bad :
        List.of(
            "\"mode\": \"kofn\"",
            "\"mode\": \"kofn\", \"k\": 0",
            "\"mode\": \"kofn\", \"k\": 3",
            "\"mode\": \"kofn\", \"k\": 1.5",
            "\"mode\": {\"kofn\": 3}",
            "\"mode\": \"most\"",
            "\"mode\": 2",
            "\"k\": 2",
            "\"mode\": \"any\", \"k\": 2")) {
      assertThat(codes(graph("{\"joinid\": \"J\", " + bad + ", " + from + "}")))
          .as(bad)
          .containsExactly("JOIN_THRESHOLD_INVALID");
    }
    assertThat(codes(graph("{\"joinid\": \"J\", \"mode\": \"all\", \"k\": 2, " + from + "}")))
        .isEmpty();
  }

  @Test
  void every_cap_names_itself_what_was_observed_and_the_maximum() {
    String steps =
        IntStream.range(0, 129)
            .mapToObj(i -> "\"S" + i + "\": {\"rule\": \"r\"}")
            .collect(Collectors.joining(","));
    String spawns = IntStream.range(0, 33).mapToObj(i -> "\"A\"").collect(Collectors.joining(","));
    String inputs =
        IntStream.range(0, 33).mapToObj(i -> "{\"node\": \"A\"}").collect(Collectors.joining(","));
    String longId = "A".repeat(65);

    assertThat(breach("{\"id\": \"g\", \"structure\": {" + steps + "}}"))
        .contains("STEPS", "observed 129", "maximum 128");
    assertThat(
            breach(
                "{\"id\":\"g\",\"structure\":{\"A\":{\"rule\":\"r\",\"onValid\":{\"spawns\":["
                    + spawns
                    + "]}}}}"))
        .contains("SPAWNS", "observed 33", "maximum 32");
    assertThat(
            breach(
                "{\"id\":\"g\",\"structure\":{\"A\":{\"rule\":\"r\",\"onValid\":{"
                    + "\"spawns\":[\"A\"],"
                    + "\"join\":{\"joinid\":\"A\",\"from\":["
                    + inputs
                    + "]}}}}}"))
        .contains("JOIN_INPUTS", "observed 33", "maximum 32");
    assertThat(breach("{\"id\":\"g\",\"structure\":{\"" + longId + "\":{\"rule\":\"r\"}}}"))
        .contains("STEP_ID", "observed 65", "maximum 64");
    assertThat(breach(" ".repeat(262_145))).contains("GRAPH_BYTES", "observed 262145", "262144");
  }

  private static String breach(String text) {
    return GraphDocumentReader.read(text, false).diagnostics().stream()
        .filter(diagnostic -> DiagnosticCode.LIMIT_EXCEEDED.isOf(diagnostic))
        .map(Diagnostic::sentence)
        .collect(Collectors.joining());
  }

  @Test
  void hostile_texts_are_refused_and_do_no_harm() {
    List<String> hostile =
        List.of(
            "",
            "null",
            "[]",
            "{\"id\":\"g\",\"structure\":{\"A\":{\"rule\":\"r\"},\"A\":{\"rule\":\"r\"}}}",
            "{\"id\":\"g\",\"structure\":{\"А\":{\"rule\":\"r\"}}}",
            "{\"id\":\"g\",\"structure\":{\"__proto__\":{\"rule\":\"r\"}}}",
            "{\"id\":\"g\",\"structure\":{}} {}",
            "[".repeat(100_000),
            "{\"id\":\"\\ud800\",\"structure\":{\"A\":{\"rule\":\"r\"}}}",
            "{\"id\":\"g\",\"structure\":{\"A\":{\"rule\":\"r\",\"onValid\":{\"join\":"
                + "{\"k\":1e999999999}}}}}");

    for (String text : hostile) {
      assertThatThrownBy(() -> GraphDocument.read(text)).isInstanceOf(Rejected.class);
    }
  }

  @Test
  void a_draft_may_have_placeholders_for_rules_and_a_graph_that_runs_may_not() {
    String text = "{\"id\":\"g\",\"structure\":{\"A\":{\"rule\":\"${addr:X}\"}}}";

    assertThat(GraphDocumentReader.read(text, true).document()).isNotNull();
    assertThat(codes(text)).containsExactly("DRAFT_RULE");
  }

  @Test
  void joins_that_can_never_be_fulfilled_are_found_before_anything_runs() {
    String elsewhere =
        """
        {"id": "g", "structure": {
          "A": {"rule": "a", "onValid": {"spawns": ["P", "B"]}},
          "B": {"rule": "b", "onValid": {"spawns": ["C"],
                "join": {"joinid": "J", "from": [{"node": "P", "when": "valid"}]}}},
          "C": {"rule": "c"}, "P": {"rule": "p"}, "J": {"rule": "j"}}}
        """;

    List<Diagnostic> diagnostics = OrchestrationCheck.joins(GraphDocument.read(elsewhere));

    assertThat(diagnostics)
        .singleElement()
        .satisfies(diagnostic -> {
          assertThat(diagnostic.code()).isEqualTo("JOIN_UNFULFILLABLE");
          assertThat(diagnostic.path()).isEqualTo("structure.B.onValid.join");
          assertThat(diagnostic.sentence()).contains("[P]");
        });
  }
}
