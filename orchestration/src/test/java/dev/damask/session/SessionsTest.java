package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.registry.RegistryEntry;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.store.CaseStatus;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Whole sessions: graphs and rules together, on the engine.
final class SessionsTest {
  /// The example of seed 001, section 7.4.
  static final String NESTED =
      """
      "A1": {"rule": "pass", "onValid": {"spawns": ["G1", "H1"], "join": {"joinid": "J1",
        "mode": "any", "waitonjoin": "kill",
        "from": [{"node": "G1", "when": "valid"}, {"node": "H1", "when": "valid"}]}}},
      "G1": {"rule": "pass"}, "H1": {"rule": "pass"},
      "J1": {"rule": "pass", "onValid": {"spawns": ["P1", "Q1"], "join": {"joinid": "J2",
        "mode": "all", "waitonjoin": "kill",
        "from": [{"node": "P1", "when": "valid"}, {"node": "Q1", "when": "valid"}]}}},
      "P1": {"rule": "pass"}, "Q1": {"rule": "pass"},
      "J2": {"rule": "pass", "onValid": {"spawns": ["Z1"]}},
      "Z1": {"rule": "pass"}
      """;

  static final String PASS =
      """
      {"payload": {"n": {"type": "int64", "default": 0}},
       "onValid": {"payload": {"n": "([n] + 1)"}}}
      """;

  private static final String ARM =
      """
      {"payload": {}, "onValid": {"payload": {"a": 1}, "waitSec": 600}}
      """;

  private static final String DOC =
      """
      {"payload": {"a": {"type": "int64"}, "Hash": {"type": "string"}},
       "onValid": {"payload": {"got": "[Hash]"}}, "onInvalid": {"payload": {"got": "time-out"}}}
      """;

  private static final String WAITER =
      """
      "Arm": {"rule": "arm", "onValid": {"spawns": ["Doc"]}}, "Doc": {"rule": "doc"}
      """;

  private static Desk waiter() {
    return new Desk().rule("arm", ARM).rule("doc", DOC).graph(WAITER);
  }

  private static boolean waitsAt(SessionView view, String step) {
    return view.at(step).stream().anyMatch(process -> process.status() == Status.WAITING);
  }

  @Test
  void nested_joins_in_series_take_their_own_producers() throws Exception {
    try (Desk desk = new Desk().rule("pass", PASS).graph(NESTED)) {
      SessionKey key = desk.start("A1", Map.of());
      desk.end(key);

      SessionView view = desk.sessions.view(key);
      assertThat(desk.story(key))
          .containsSubsequence("A1:valid", "G1:valid", "J1:valid", "J2:valid", "Z1:valid");
      assertThat(view.status()).isEqualTo(CaseStatus.COMPLETED);
      assertThat(view.at("H1")).extracting(ProcessInstance::status).containsExactly(Status.ABORTED);
      assertThat(view.at("J1").getFirst().group()).isZero();
      assertThat(view.at("G1").getFirst().group()).isNotZero();
      Set<Integer> groups =
          view.processes().stream().map(ProcessInstance::group).collect(Collectors.toSet());
      assertThat(groups).hasSize(3);
      assertThat(view.result()).isEqualTo(Map.of("n", 6L));
      String line = desk.sessions.log(key, _ -> true).getFirst().body();
      long each = Long.parseLong(line.replaceFirst(".*\"cost\":(\\d+).*", "$1"));
      assertThat(view.cost()).isPositive().isEqualTo(7 * each);
    }
  }

  @Test
  void a_waiting_step_is_woken_with_more_payload_or_times_out() throws Exception {
    // E6.
    try (Desk desk = waiter()) {
      SessionKey woken = desk.start("Arm", Map.of());
      SessionKey late = desk.start("Arm", Map.of());
      desk.until(woken, view -> waitsAt(view, "Doc"));
      desk.until(late, view -> waitsAt(view, "Doc"));
      assertThat(desk.sessions.view(woken).at("Doc").getFirst().nextWakeAt()).hasValue(1_600_000);
      desk.clock.advance(20_000);

      int count = desk.sessions.wakeStep(Desk.ME, woken, "Doc", Map.of("Hash", "ab", "_x", 1));
      desk.end(woken);
      desk.clock.advance(580_000);
      desk.end(late);

      assertThat(count).isEqualTo(1);
      assertThat(desk.result(woken)).isEqualTo(Map.of("got", "ab"));
      assertThat(desk.story(woken)).containsExactly("Arm:valid", "Doc:valid");
      assertThat(desk.result(late)).isEqualTo(Map.of("got", "time-out"));
      assertThat(desk.story(late)).containsExactly("Arm:valid", "Doc:invalid");
    }
  }

  @Test
  void only_who_is_allowed_may_wake() throws Exception {
    try (Desk desk = waiter()) {
      Map<String, Object> allow = Map.of("steps", Map.of("Doc", Map.of("rpc", List.of("bob"))));
      SessionKey key = desk.start("Arm", Map.of("__wakeUp", allow));
      desk.until(key, view -> waitsAt(view, "Doc"));

      assertThatThrownBy(() -> desk.sessions.wakeStep("carol", key, "Doc", Map.of()))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> desk.sessions.wakeProcess("bob", key, 2, Map.of()))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> desk.sessions.wakeStep("bob", key, "Other", Map.of()))
          .hasMessageContaining("may not wake step Other");
    }
    try (Desk desk = waiter()) {
      Map<String, Object> allow = Map.of("default", Map.of("rpc", List.of("bob")));
      SessionKey key = desk.start("Arm", Map.of("__wakeUp", allow));
      desk.until(key, view -> waitsAt(view, "Doc"));

      assertThat(desk.sessions.wakeStep("bob", key, "Doc", Map.of("Hash", "x"))).isEqualTo(1);
      desk.end(key);
      assertThat(desk.result(key)).isEqualTo(Map.of("got", "x"));
    }
  }

  @Test
  void pause_lets_nothing_begin_and_kill_ends_everything() throws Exception {
    try (Desk desk = waiter()) {
      SessionKey key = desk.start("Arm", Map.of());
      desk.until(key, view -> waitsAt(view, "Doc"));

      desk.sessions.pause(Desk.ME, key);
      desk.clock.advance(700_000);
      desk.sessions.engine().status(key.caseId());
      assertThat(desk.sessions.view(key).paused()).isTrue();
      assertThat(desk.story(key)).containsExactly("Arm:valid");
      int affected = desk.sessions.kill(Desk.ME, key);

      assertThat(affected).isEqualTo(1);
      assertThat(desk.end(key)).isInstanceOf(CaseResult.Cancelled.class);
      assertThat(desk.sessions.view(key).at("Doc").getFirst().status()).isEqualTo(Status.ABORTED);
      assertThatThrownBy(() -> desk.sessions.kill("bob", key))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void a_resumed_session_goes_on() throws Exception {
    try (Desk desk = waiter()) {
      SessionKey key = desk.start("Arm", Map.of());
      desk.until(key, view -> waitsAt(view, "Doc"));
      desk.sessions.pause(Desk.ME, key);
      desk.clock.advance(700_000);

      desk.sessions.resume(Desk.ME, key);
      desk.end(key);

      assertThat(desk.result(key)).isEqualTo(Map.of("got", "time-out"));
    }
  }

  @Test
  void a_rule_wakes_a_step_of_another_session_of_the_same_owner() throws Exception {
    String bell =
        """
        {"payload": {"to": {"type": "int64"}},
         "onValid": {"payload": {"Hash": "from the bell"}, "wakeUps": [
            {"runner": "eve", "sessionId": "[to]", "stepId": "Doc", "payload": {"_no": 1}}]}}
        """;
    String graph = WAITER + ", \"Bell\": {\"rule\": \"bell\"}";
    try (Desk desk = new Desk().rule("arm", ARM).rule("doc", DOC).rule("bell", bell).graph(graph)) {
      SessionKey waiting = desk.start("Arm", Map.of());
      desk.until(waiting, view -> waitsAt(view, "Doc"));

      desk.end(desk.start("Bell", Map.of("to", waiting.number())));
      desk.end(waiting);

      assertThat(desk.result(waiting)).isEqualTo(Map.of("got", "from the bell"));
    }
  }

  @Test
  void a_start_is_refused_before_anything_exists() throws Exception {
    try (Desk desk = waiter()) {
      SessionStart good = SessionStart.of(Desk.ME, "g", "Arm", Map.of());
      Sessions sessions = desk.sessions;

      assertThatThrownBy(() -> sessions.start(good.by("mallory")))
          .hasMessageContaining("neither the owner nor an executor");
      assertThatThrownBy(() -> sessions.start(good.withHash("00"))).hasMessageContaining("pinned");
      assertThatThrownBy(() -> sessions.start(good.withNumber(7))).hasMessageContaining("is 1");
      assertThatThrownBy(() -> sessions.start(SessionStart.of(Desk.ME, "g", "Nowhere", Map.of())))
          .hasMessageContaining("no step 'Nowhere'");
      assertThatThrownBy(() ->
              sessions.start(SessionStart.of(Desk.ME, "g", "Arm", Map.of("__outcome", "valid"))))
          .hasMessageContaining("is reserved for the engine");
      assertThat(sessions.list(null, 10)).isEmpty();

      sessions.registry().addExecutor(Desk.ME, "g", "mallory");
      String hash = sessions.registry().find(RegistryEntry.Kind.GRAPH, "g").orElseThrow().hash();
      sessions.start(good.by("mallory").withHash("0x" + hash).withNumber(1));
      assertThat(sessions.nextNumber(Desk.ME)).isEqualTo(2);
      assertThat(sessions.list(Desk.ME, 10)).containsExactly(SessionKey.of(Desk.ME, 1));
    }
  }

  @Test
  void a_loop_is_ended_by_its_budget() throws Exception {
    String graph = "\"W\": {\"rule\": \"pass\", \"onValid\": {\"spawns\": [\"W\"]}}";
    try (Desk desk = new Desk().rule("pass", PASS).graph(graph)) {
      SessionKey key =
          desk.sessions.start(SessionStart.of(Desk.ME, "g", "W", Map.of()).withCostMax(1_000_000));

      CaseResult<Context> end = desk.end(key);

      assertThat(end)
          .isInstanceOfSatisfying(
              CaseResult.Failed.class,
              failed -> assertThat(failed.error().detail()).contains("may cost 1000000"));
      assertThat(desk.story(key).size()).isBetween(50, 100);
    }
  }

  @Test
  void the_log_is_lines_of_json_that_can_be_filtered() throws Exception {
    try (Desk desk = new Desk().rule("pass", PASS).graph(NESTED)) {
      SessionKey key = desk.start("A1", Map.of("n", 1));
      desk.end(key);

      List<LogLine> lines = desk.sessions.log(key, line -> line.step().equals("A1"));

      assertThat(lines).hasSize(1);
      assertThat(lines.getFirst().json())
          .startsWith("{\"owner\":\"eve\",\"sessionId\":1,\"pid\":\"1:1\",\"iteration\":1")
          .contains("\"stepId\":\"A1\"", "\"valid\":true", "\"payload\":{\"n\":2}", "\"cost\":")
          .endsWith("}");
    }
  }
}
