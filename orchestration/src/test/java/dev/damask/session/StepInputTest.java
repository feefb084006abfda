package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.registry.Orchestration;
import dev.damask.rule.RuleDocument;
import dev.damask.source.Rejected;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a step sees and hands on: sums, extracts, the keys of the engine, the input after an
/// invalid step, and what a check says about inputs.
final class StepInputTest {
  @Test
  void after_an_invalid_step_the_children_keep_its_input() throws Exception {
    String fails =
        """
        {"payload": {"a": {"type": "int64"}}, "rules": ["[a] > 9"],
         "onInvalid": {"payload": {"b": "new"}}}
        """;
    String graph =
        """
        "A": {"rule": "fails", "onValid": {"spawns": ["B"]}, "onInvalid": {"spawns": ["B"]}},
        "B": {"rule": "show"}
        """;
    String show =
        """
        {"payload": {"a": {"type": "int64", "default": 0}, "b": {"type": "string", "default": ""},
                     "c": {"type": "string", "default": "none"}},
         "onValid": {"payload": {"a": "[a]", "b": "[b]", "c": "[c]"}}}
        """;
    try (Desk desk = new Desk().rule("fails", fails).rule("show", show).graph(graph)) {
      SessionKey invalid = desk.start("A", Map.of("a", 1, "b", "old", "c", "kept"));
      SessionKey valid = desk.start("A", Map.of("a", 10, "b", "old", "c", "kept"));
      desk.end(invalid);
      desk.end(valid);

      assertThat(desk.result(invalid)).isEqualTo(Map.of("a", 1L, "b", "new", "c", "kept"));
      assertThat(desk.result(valid)).isEqualTo(Map.of("a", 0L, "b", "", "c", "none"));
      assertThat(desk.sessions.log(invalid, line -> line.step().equals("A")).getFirst().json())
          .contains("\"payload\":{\"b\":\"new\"}");
    }
  }

  @Test
  void a_join_takes_what_an_invalid_producer_wrote_and_not_its_input() throws Exception {
    String first = "{\"payload\": {}, \"onValid\": {\"payload\": {\"price\": 1}}}";
    String good = "{\"payload\": {}, \"onValid\": {\"payload\": {\"price\": 7}}}";
    String bad = "{\"payload\": {}, \"rules\": [\"false\"]}";
    String show =
        """
        {"payload": {"price": {"type": "int64"}}, "onValid": {"payload": {"price": "[price]"}}}
        """;
    String graph =
        """
        "A": {"rule": "first", "onValid": {"spawns": ["P", "Q"], "join": {"joinid": "J",
              "mode": "all", "waitonjoin": "drain", "from": [{"node": "P"}, {"node": "Q"}]}}},
        "P": {"rule": "good"}, "Q": {"rule": "bad"}, "J": {"rule": "show"}
        """;
    try (Desk desk =
        new Desk()
            .rule("first", first)
            .rule("good", good)
            .rule("bad", bad)
            .rule("show", show)
            .graph(graph)) {
      SessionKey key = desk.start("A", Map.of());
      desk.end(key);

      assertThat(desk.result(key)).isEqualTo(Map.of("price", 7L));
    }
  }

  @Test
  void a_payload_cannot_set_the_keys_of_the_engine() throws Exception {
    String forge =
        """
        {"payload": {"from": {"type": "string", "default": "x"}},
         "onValid": {"payload": {"from": "forged", "pid": "9:9", "seen": "[from] at [pid]"}}}
        """;
    String look =
        """
        {"payload": {"pid": {"type": "string", "default": "none"}},
         "onValid": {"payload": {"seen": "[from] at [pid]"}}}
        """;
    String graph =
        "\"A\": {\"rule\": \"forge\", \"onValid\": {\"spawns\": [\"B\"]}}, \"B\": {\"rule\":"
            + " \"look\"}";
    try (Desk desk = new Desk().rule("forge", forge).rule("look", look).graph(graph)) {
      SessionKey key = desk.start("A", Map.of("from", "me", "pid", "7:7"));
      desk.end(key);

      assertThat(desk.result(key)).isEqualTo(Map.of("seen", "A at 1:2"));
      assertThat(desk.sessions.log(key, line -> true).getFirst().body())
          .contains("\"seen\":\" at 1:1\"");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"from", "pid", "__sessionId", "__owner", "__progress", "__secret", "__x"})
  void a_read_or_a_call_cannot_set_the_keys_of_the_engine(String key) {
    String read =
        """
        {"payload": {}, "contractReads": [{"to": "x", "function": "f()",
          "saveAs": {"0": {"key": "KEY", "type": "string"}}}]}
        """;
    String call =
        """
        {"payload": {}, "apiCalls": [{"name": "c", "method": "GET", "urlTemplate": "http://h/",
          "extractMap": {"KEY": {"type": "string", "value": "resp"}}}]}
        """;
    for (String rule : List.of(read.replace("KEY", key), call.replace("KEY", key))) {
      assertThatThrownBy(() -> RuleDocument.read(rule))
          .isInstanceOf(Rejected.class)
          .hasMessageContaining("ENGINE_KEY")
          .hasMessageContaining("'" + key + "' is set by the engine; use another name");
      assertThat(codes("\"A\": {\"rule\": \"r\"}", Map.of("r", rule), "A"))
          .contains("ERROR ENGINE_KEY");
    }
    RuleDocument.read(read.replace("KEY", key + "_of_mine").replace("__", "_"));
  }

  private static List<String> codes(String graph, Map<String, String> rules, String entry) {
    return new Orchestration("{\"id\": \"g\", \"structure\": {" + graph + "}}", rules)
        .check(entry, Set.of()).stream()
            .map(diagnostic -> diagnostic.severity() + " " + diagnostic.code())
            .toList();
  }

  @Test
  void a_required_input_counts_only_on_branches_that_can_be_taken() {
    String graph =
        """
        "A": {"rule": "sure", "onValid": {"spawns": ["B"]}, "onInvalid": {"spawns": ["C"]}},
        "B": {"rule": "free"}, "C": {"rule": "needs"}
        """;
    String sure =
        """
        {"payload": {"x": {"type": "int64", "default": 1}}, "rules": ["1 == 1"],
         "onValid": {"payload": {"k": 1}}}
        """;
    String needs = "{\"payload\": {\"must\": {\"type\": \"string\"}}}";
    Map<String, String> rules = Map.of("sure", sure, "free", Desk.SURE, "needs", needs);

    assertThat(codes(graph, rules, "A")).isEmpty();
    assertThat(
            codes(
                graph,
                Map.of(
                    "sure",
                    sure.replace("1 == 1", "[x] == 1"),
                    "free",
                    "{\"payload\": {}}",
                    "needs",
                    needs),
                "A"))
        .containsExactly("WARNING REQUIRED_INPUT_NOT_PROVIDED");
  }

  @Test
  void an_extract_may_use_others_of_its_call_and_names_that_a_default_replaces() throws Exception {
    String rule =
        """
        {"payload": {}, "apiCalls": [{"name": "price", "method": "GET",
          "urlTemplate": "https://example.org/price", "contentType": "json", "extractMap": {
            "good": {"type": "bool", "value": "[price] > 0.0", "default": false},
            "price": {"type": "double", "value": "resp.amount", "default": 0},
            "other": {"type": "string", "value": "string(nothing.at)", "default": "not there"}}}],
         "rules": ["[good]"], "onValid": {"payload": {"price": "[price]", "other": "[other]"}}}
        """;
    assertThat(codes("\"A\": {\"rule\": \"r\"}", Map.of("r", rule), "A")).isEmpty();
    SessionPorts outside =
        new SessionPorts((call, http) -> "{\"amount\": \"12.5\"}", 1, StepObserver.NONE);
    try (Sessions sessions =
        Sessions.open(SessionOptions.defaults(), new dev.damask.store.MemoryStore(), outside)) {
      sessions.registry().putRule("eve", "r", rule);
      sessions
          .registry()
          .putGraph("eve", "{\"id\": \"g\", \"structure\": {\"A\": {\"rule\":" + " \"r\"}}}");
      SessionKey key = sessions.start(SessionStart.of("eve", "g", "A", Map.of()));
      sessions.await(key, java.time.Duration.ofSeconds(20));

      assertThat(sessions.view(key).result())
          .isEqualTo(Map.of("price", 12.5, "other", "not there"));
    }
  }
}
