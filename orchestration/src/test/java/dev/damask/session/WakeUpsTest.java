package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.EngineOptions;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.store.CaseStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Wake-ups between sessions: they leave when the children of their step exist.
final class WakeUpsTest {
  /// Asks another session and waits for its answer in the child.
  private static final String ASK =
      """
      {"payload": {"peer": {"type": "string"}, "number": {"type": "int64"}},
       "onValid": {"waitSec": 600, "payload": {"peer": "[peer]", "number": "[number]"},
         "wakeUps": [{"runner": "[peer]", "sessionId": "[number]", "stepId": "Serve",
           "payload": {"client": "eve", "back": "[__sessionId]"}}]}}
      """;

  private static final String ARM = "{\"payload\": {}, \"onValid\": {\"waitSec\": 600}}";

  private static final String SERVE =
      """
      {"payload": {"client": {"type": "string"}, "back": {"type": "int64"}},
       "onValid": {"payload": {"answer": 42}, "wakeUps": [
         {"runner": "[client]", "sessionId": "[back]", "stepId": "Got"}]}}
      """;

  private static final String GOT =
      """
      {"payload": {"answer": {"type": "int64"}},
       "onValid": {"payload": {"got": "[answer]"}}, "onInvalid": {"payload": {"got": "nothing"}}}
      """;

  private static final String GRAPH =
      """
      "Ask": {"rule": "ask", "onValid": {"spawns": ["Got"]}}, "Got": {"rule": "got"},
      "Arm": {"rule": "arm", "onValid": {"spawns": ["Serve"]}}, "Serve": {"rule": "serve"}
      """;

  private static Desk desk() {
    return fill(new Desk());
  }

  private static Desk fill(Desk desk) {
    return desk.rule("ask", ASK)
        .rule("got", GOT)
        .rule("arm", ARM)
        .rule("serve", SERVE)
        .graph(GRAPH);
  }

  private static boolean waitsAt(SessionView view, String step) {
    return view.at(step).stream().anyMatch(process -> process.status() == Status.WAITING);
  }

  private static Map<String, Object> to(SessionKey key) {
    return Map.of("peer", key.owner(), "number", key.number());
  }

  @Test
  void an_answer_that_comes_back_at_once_finds_its_receiver() throws Exception {
    EngineOptions two = EngineOptions.defaults().withShards(2).withGrace(Duration.ZERO);
    try (Desk desk =
        fill(new Desk(new dev.damask.store.MemoryStore(), options -> options.withEngine(two)))) {
      for (int i = 0; i < 50; i++) {
        SessionKey server = desk.start("Arm", Map.of());
        desk.until(server, view -> waitsAt(view, "Serve"));
        SessionKey client = desk.start("Ask", to(server));

        desk.end(client);

        assertThat(desk.result(client)).isEqualTo(Map.of("got", 42L));
        desk.end(server);
      }
    }
  }

  @Test
  void what_was_sent_stands_in_the_log_and_in_the_receipt() throws Exception {
    try (Desk desk = desk()) {
      SessionKey server = desk.start("Arm", Map.of());
      desk.until(server, view -> waitsAt(view, "Serve"));
      SessionKey client = desk.start("Ask", to(server));
      desk.end(client);
      desk.end(server);

      LogLine line = desk.sessions.log(client, each -> each.step().equals("Ask")).getFirst();
      assertThat(line.json())
          .contains(
              "\"wakeUps\":[{\"runner\":\"eve\",\"sessionId\":1,\"stepId\":\"Serve\",\"woken\":1}]")
          .contains("\"payload\":{");
      assertThat(desk.sessions.view(client).wakeUps())
          .containsExactly(new SentWakeUp(1, "Ask", server, "Serve", 1));
      assertThat(desk.sessions.engine().receipts(client.caseId()).toString()).contains("woken");
    }
  }

  @Test
  void a_wake_up_without_a_receiver_is_told_and_harms_nobody() throws Exception {
    try (Desk desk = desk()) {
      SessionKey nobody = SessionKey.of("bob", 7);
      SessionKey client = desk.start("Ask", to(nobody));
      SessionView view = desk.rest(client);

      assertThat(waitsAt(view, "Got")).isTrue();
      assertThat(view.wakeUps()).extracting(SentWakeUp::isLost).containsExactly(true);
      assertThat(view.wakeUps().getFirst())
          .hasToString("step Ask: the wake-up of session bob/7 step Serve woke no process");
      desk.clock.advance(600_000);
      desk.end(client);
      assertThat(desk.sessions.view(client).status()).isEqualTo(CaseStatus.COMPLETED);
    }
  }

  @Test
  void a_denied_wake_up_is_in_the_log_of_the_session_that_was_meant() throws Exception {
    try (Desk desk = desk()) {
      SessionKey server =
          desk.sessions.start(new SessionStart("bob", Desk.ME, "g", "Arm", Map.of(), null, 0, 0));
      desk.until(server, view -> waitsAt(view, "Serve"));
      SessionKey client = desk.start("Ask", to(server));

      SessionView view = desk.rest(client);

      assertThat(view.wakeUps()).extracting(SentWakeUp::woken).containsExactly(0L);
      assertThat(waitsAt(desk.sessions.view(server), "Serve")).isTrue();
      List<LogLine> denied = desk.sessions.log(server, line -> !line.isEvaluation());
      assertThat(denied).hasSize(1);
      assertThat(denied.getFirst().json())
          .contains("\"stepId\":\"Serve\"", "\"outcome\":\"denied\"")
          .contains("\"caller\":\"eve\",\"rule\":\"ask\"");
    }
  }

  @Test
  void only_the_rules_that_are_named_may_wake() {
    assertThat(allows("ask", "ask")).isTrue();
    assertThat(allows("ask", "other")).isFalse();
    assertThat(allows(List.of("ask"), "other")).isFalse();
    assertThat(allows(List.of(), "ask")).isFalse();
    assertThat(allows(7L, "ask")).isFalse();
    String address = "0xAbCdEf0123456789aBcDeF0123456789AbCdEf01";
    assertThat(allows(address, address.toLowerCase(java.util.Locale.ROOT))).isTrue();
  }

  private static boolean allows(Object rules, String rule) {
    Map<String, Object> internal = Map.of("allow", List.of("*"), "fromXRC137", rules);
    WakeUpList list = new WakeUpList(Map.of("default", Map.of("internal", internal)));
    return list.allowsRule("Doc", "eve", rule);
  }
}
