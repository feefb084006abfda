package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.registry.RegistryEntry.Kind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Every field of a line of a session's log, as a program reads it.
final class LogLineTest {
  private static final String ARM =
      """
      {"payload": {}, "onValid": {"payload": {"armed": true}, "waitSec": 600,
        "grants": [{"address": "0xb0b", "rights": 1}]}}
      """;
  private static final String DOC =
      """
      {"payload": {"Hash": {"type": "string"}}, "rules": [{"expression": "[Hash] == 'ab'"}],
       "onValid": {"payload": {"got": "[Hash]"}}, "onInvalid": {"payload": {"got": "none"}}}
      """;
  private static final String POKE =
      """
      {"payload": {}, "onValid": {"wakeUps": [
        {"runner": "bob", "sessionId": 1, "stepId": "Doc", "payload": {"Hash": "ab"}}]}}
      """;

  @Test
  void a_line_of_each_outcome_has_every_field() throws Exception {
    try (Desk desk = desk()) {
      SessionKey bobs =
          desk.sessions.start(new SessionStart("bob", Desk.ME, "g", "Arm", Map.of(), null, 0, 0));
      desk.rest(bobs);
      desk.clock.advance(1_500);
      SessionKey poke = desk.start("Poke", Map.of());
      desk.end(poke);
      desk.rest(bobs);
      desk.clock.advance(250);
      desk.sessions.wakeStep("bob", bobs, "Doc", Map.of("Hash", "xy"));
      desk.end(bobs);

      List<LogLine> lines = desk.sessions.log(bobs, _ -> true);
      LogLine sent = desk.sessions.log(poke, _ -> true).getFirst();
      String graph = hash(desk, Kind.GRAPH, "g");
      assertThat(lines)
          .extracting(LogLine::json)
          .containsExactly(
              """
              {"owner":"bob","sessionId":1,"pid":"1:1","iteration":1,"stepId":"Arm",\
              "outcome":"valid","valid":true,"ostcId":"g","ostcHash":"GRAPH",\
              "time":"1970-01-01T00:16:40Z","cost":10500,"payload":{"armed":true},\
              "grants":[{"address":"0xb0b","expireDays":365,"rights":1}],\
              "rule":"arm","ruleHash":"RULE"}\
              """
                  .replace("GRAPH", graph)
                  .replace("RULE", hash(desk, Kind.RULE, "arm")),
              """
              {"owner":"bob","sessionId":1,"pid":"1:0","iteration":0,"stepId":"Doc",\
              "outcome":"denied","valid":false,"ostcId":"g","ostcHash":"GRAPH",\
              "time":"1970-01-01T00:16:41.500Z","caller":"eve","rule":"poke"}\
              """
                  .replace("GRAPH", graph),
              """
              {"owner":"bob","sessionId":1,"pid":"1:2","iteration":2,"stepId":"Doc",\
              "outcome":"invalid","valid":false,"ostcId":"g","ostcHash":"GRAPH",\
              "time":"1970-01-01T00:16:41.750Z","cost":13450,"payload":{"got":"none"},\
              "failedRule":"[Hash] == 'ab'","rule":"doc","ruleHash":"RULE"}\
              """
                  .replace("GRAPH", graph)
                  .replace("RULE", hash(desk, Kind.RULE, "doc")));
      assertThat(sent.json())
          .isEqualTo(
              """
              {"owner":"eve","sessionId":1,"pid":"1:1","iteration":1,"stepId":"Poke",\
              "outcome":"valid","valid":true,"ostcId":"g","ostcHash":"GRAPH",\
              "time":"1970-01-01T00:16:41.500Z","cost":10000,"payload":{},\
              "rule":"poke","ruleHash":"RULE",\
              "wakeUps":[{"runner":"bob","sessionId":1,"stepId":"Doc","woken":0}]}\
              """
                  .replace("GRAPH", graph)
                  .replace("RULE", hash(desk, Kind.RULE, "poke")));
      assertThat(sent.graph()).isEqualTo(new LogLine.Graph("g", graph));
      assertThat(sent.atMillis()).isEqualTo(Desk.BEGINNING + 1_500);
    }
  }

  @Test
  void a_session_that_does_not_exist_is_named_as_a_session() {
    try (Desk desk = desk()) {
      SessionKey none = SessionKey.of("eve", 99);

      assertThatThrownBy(() -> desk.sessions.log(none, _ -> true))
          .hasMessage("there is no session eve/99");
      assertThatThrownBy(() -> desk.sessions.view(none)).hasMessage("there is no session eve/99");
    }
  }

  private static String hash(Desk desk, Kind kind, String key) {
    return desk.sessions.registry().find(kind, key).orElseThrow().hash();
  }

  private static Desk desk() {
    Desk desk = new Desk().rule("arm", ARM).rule("doc", DOC).rule("poke", POKE);
    return desk.graph(
        "\"Arm\": {\"rule\": \"arm\", \"onValid\": {\"spawns\": [\"Doc\"]}},"
            + "\"Doc\": {\"rule\": \"doc\"}, \"Poke\": {\"rule\": \"poke\"}");
  }
}
