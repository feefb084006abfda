package dev.damask.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.check.Diagnostic;
import dev.damask.registry.Bundle;
import dev.damask.registry.Orchestration;
import dev.damask.source.Rejected;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RuleReaderTest {
  private static List<String> codes(String text) {
    return RuleReader.read(text).diagnostics().stream().map(Diagnostic::code).distinct().toList();
  }

  private static String many(int count, String each) {
    return IntStream.range(0, count)
        .mapToObj(i -> each.replace("#", Integer.toString(i)))
        .collect(Collectors.joining(","));
  }

  @Test
  void every_cap_of_a_rule_names_itself_what_was_observed_and_the_maximum() {
    Map<String, String> breaches =
        Map.ofEntries(
            Map.entry("RULE_BYTES (", "{\"payload\": {}, \"x\": \"" + "y".repeat(131_072) + "\"}"),
            Map.entry(
                "PAYLOAD_FIELDS",
                "{\"payload\": {" + many(65, "\"f#\":{\"type\":\"bool\"}") + "}}"),
            Map.entry(
                "FIELD_NAME", "{\"payload\": {\"" + "f".repeat(65) + "\": {\"type\": \"bool\"}}}"),
            Map.entry("RULES (", "{\"payload\": {}, \"rules\": [" + many(65, "\"true\"") + "]}"),
            Map.entry(
                "EXPRESSION_CHARS",
                "{\"payload\": {}, \"rules\": [\"" + "1".repeat(2_049) + "\"]}"),
            Map.entry("API_CALLS", "{\"payload\": {}, \"apiCalls\": [" + many(17, CALL) + "]}"),
            Map.entry(
                "URL_CHARS",
                "{\"payload\": {}, \"apiCalls\": ["
                    + CALL.replace("http://h/", "http://h/" + "x".repeat(2_048))
                    + "]}"),
            Map.entry(
                "BODY_CHARS",
                "{\"payload\": {}, \"apiCalls\": ["
                    + CALL.replace(
                        "\"method\"", "\"bodyTemplate\": \"" + "x".repeat(8_193) + "\", \"method\"")
                    + "]}"),
            Map.entry(
                "EXTRACTS",
                "{\"payload\": {}, \"apiCalls\": ["
                    + CALL.replace(
                        "\"method\"",
                        "\"extractMap\": {"
                            + many(65, "\"e#\":{\"type\":\"bool\",\"value\":\"resp\"}")
                            + "}, \"method\"")
                    + "]}"),
            Map.entry(
                "TEXT_CHARS",
                "{\"payload\": {\"f\": {\"type\": \"string\", \"default\": \""
                    + "x".repeat(8_193)
                    + "\"}}}"),
            Map.entry(
                "READS",
                "{\"payload\": {}, \"contractReads\": ["
                    + many(17, "{\"to\":\"x\",\"function\":\"f()\"}")
                    + "]}"),
            Map.entry(
                "SAVES",
                "{\"payload\": {}, \"contractReads\":"
                    + " [{\"to\":\"x\",\"function\":\"f()\",\"saveAs\":{"
                    + many(65, "\"#\":{\"key\":\"k#\",\"type\":\"bool\"}")
                    + "}}]}"),
            Map.entry(
                "OUTCOME_KEYS",
                "{\"payload\": {}, \"onValid\": {\"payload\": {" + many(65, "\"k#\": 1") + "}}}"),
            Map.entry(
                "GRANTS",
                "{\"payload\": {}, \"onValid\": {\"grants\": ["
                    + many(17, "{\"address\":\"a\",\"rights\":1}")
                    + "]}}"),
            Map.entry(
                "EXECUTION_ARGS",
                "{\"payload\": {}, \"onValid\": {\"execution\": {\"to\": \"x\", \"args\": ["
                    + many(17, "{\"type\":\"int64\",\"value\":1}")
                    + "]}}}"));

    breaches.forEach((cap, text) ->
        assertThat(RuleReader.read(text).diagnostics())
            .as(cap)
            .anySatisfy(diagnostic ->
                assertThat(diagnostic.sentence())
                    .contains("cap " + cap.split(" ", -1)[0], "observed ", "maximum ")));
  }

  private static final String CALL =
      "{\"name\": \"c#\", \"method\": \"GET\", \"urlTemplate\": \"http://h/\"}";

  @Test
  void what_is_wrong_has_its_code() {
    assertThat(codes("{}")).contains("PAYLOAD_MISSING");
    assertThat(codes("{\"payload\": {\"1x\": {\"type\": \"bool\"}}}"))
        .containsExactly("PAYLOAD_FIELD_KEY_INVALID");
    assertThat(codes("{\"payload\": {\"x\": {\"type\": \"float\"}}}"))
        .containsExactly("TYPE_INVALID");
    assertThat(codes("{\"payload\": {\"x\": {\"type\": \"bool\", \"need\": 1}}}"))
        .containsExactly("UNKNOWN_KEY");
    assertThat(codes("{\"payload\": {}, \"rules\": [{\"expr\": \"true\"}]}"))
        .containsExactly("RULE_EXPR_INVALID");
    assertThat(codes("{\"payload\": {}, \"rules\": [\"1 + (\"]}"))
        .containsExactly("RULE_EXPR_INVALID");
    assertThat(codes("{\"payload\": {}, \"rules\": [\"${x} > 1\"]}"))
        .contains("DOLLAR_PLACEHOLDER");
    assertThat(codes("{\"payload\": {}, \"onValid\": {\"payload\": {\"__x\": 1}}}"))
        .containsExactly("BRANCH_PAYLOAD_SCHEMA_INVALID");
    assertThat(codes("{\"payload\": {}, \"onValid\": {\"encryptLogs\": true}}"))
        .containsExactly("ENCRYPT_LOGS_UNSUPPORTED");
    assertThat(codes("{\"payload\": {}, \"onValid\": {\"waitSec\": -1}}"))
        .containsExactly("WAIT_INVALID");
    assertThat(codes("{\"payload\": {}, \"apiCalls\": [" + CALL.replace("h/", "h/[") + "]}"))
        .containsExactly("PLACEHOLDER_MALFORMED");
    assertThat(codes(extract("\"value\": \"resp\", \"expr\": \"resp\"")))
        .containsExactly("EXTRACTMAP_VALUE_INVALID");
    assertThat(codes(extract("\"expr\": \"resp.x[0]\""))).isEmpty();
  }

  private static String extract(String value) {
    return "{\"payload\": {}, \"apiCalls\": ["
        + CALL.replace(
            "\"method\"",
            "\"extractMap\": {\"a\": {\"type\": \"bool\", " + value + "}}, \"method\"")
        + "]}";
  }

  @Test
  void placeholders_must_have_been_given_a_value() {
    RuleDocument rule =
        RuleDocument.read(
            """
            {"payload": {"a": {"type": "int64"}},
             "rules": ["[a] > 0", "[b] > 0", "[__sessionId] > 0"],
             "onValid": {"payload": {"x": "[c]", "y": "[pid]"}}}
            """);

    assertThat(RuleCheck.check(rule))
        .extracting(Diagnostic::code, Diagnostic::path)
        .containsExactly(
            org.assertj.core.api.Assertions.tuple("PLACEHOLDER_UNKNOWN", "rules[1]"),
            org.assertj.core.api.Assertions.tuple("PLACEHOLDER_UNKNOWN", "onValid.payload.x"));
  }

  @Test
  void required_inputs_must_come_along_every_way() {
    String graph =
        """
        {"id": "g", "structure": {
          "A": {"rule": "a", "onValid": {"spawns": ["B"]}, "onInvalid": {"spawns": ["B"]}},
          "B": {"rule": "b"}}}
        """;
    String a =
        """
        {"payload": {"n": {"type": "int64"}},
         "onValid": {"payload": {"x": 1}}, "onInvalid": {"payload": {"y": 1}}}
        """;
    String b = "{\"payload\": {\"x\": {\"type\": \"int64\"}}}";
    Orchestration whole = new Orchestration(graph, Map.of("a", a, "b", b));

    assertThat(whole.check("A", java.util.Set.of()))
        .extracting(Diagnostic::code)
        .containsExactly("ENTRY_INPUT_MISSING", "REQUIRED_INPUT_NOT_PROVIDED");
    assertThat(whole.check("Z", null))
        .extracting(Diagnostic::code)
        .containsExactly("ENTRY_STEP_UNKNOWN");
    assertThat(
            new Orchestration(graph, Map.of("a", a.replace("\"y\"", "\"x\""), "b", b))
                .check("A", java.util.Set.of("n")))
        .isEmpty();
  }

  @Test
  void a_bundle_resolves_its_aliases() {
    String bundle =
        """
        {"format": "xgr-multi-bundle@1", "createdAt": "2026-01-31T12:00:00Z", "bundles": [
          {"bundleId": "one", "items": [
            {"type": "xrc729", "document":
               {"id": "g", "structure": {"A": {"rule": "cm:xrc137:First"}}}},
            {"type": "xrc137", "alias": "First", "document": {"payload": {}}},
            {"type": "xrc137", "alias": "Second", "document": {"payload": {}}}]}]}
        """;

    Bundle read = Bundle.read(bundle);

    assertThat(read.diagnostics()).extracting(Diagnostic::code).containsExactly("RULE_UNUSED");
    Orchestration one = java.util.Objects.requireNonNull(read.orchestrations().get("one"));
    assertThat(one.resolved()).contains("\"rule\":\"First\"");
    assertThatThrownBy(() -> Bundle.read(bundle.replace("xrc137:First", "xrc137:Third")))
        .hasMessageContaining("ALIAS_UNRESOLVED");
    assertThatThrownBy(() -> Bundle.read(bundle.replace("bundle@1", "bundle@2")))
        .isInstanceOf(Rejected.class);
  }
}
