package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.rule.EvaluationException;
import dev.damask.rule.RuleDocument;
import dev.damask.rule.RuleSource;
import dev.damask.source.Rejected;
import dev.damask.step.Lowering;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/// What one step does with its rule.
final class EvaluationTest {
  private static final String ONE = "\"A\": {\"rule\": \"a\"}";

  private static Map<String, ?> run(String rule, Map<String, ?> payload) throws Exception {
    try (Desk desk = new Desk().rule("a", rule).graph(ONE)) {
      SessionKey key = desk.start("A", payload);
      desk.end(key);
      return desk.result(key);
    }
  }

  @Test
  void a_missing_input_makes_the_step_invalid_and_a_wrong_type_fails_the_session()
      throws Exception {
    // E4.
    String rule =
        """
        {"payload": {"Amount": {"type": "int64"}, "Rate": {"type": "double", "default": 1.0}},
         "rules": ["[Amount] * [Rate] > 10.0"],
         "onInvalid": {"payload": {"why": "no amount", "rate": "[Rate]"}}}
        """;

    assertThat(run(rule, Map.of())).isEqualTo(Map.of("why", "no amount", "rate", 1.0));
    try (Desk desk = new Desk().rule("a", rule).graph(ONE)) {
      CaseResult<Context> end = desk.end(desk.start("A", Map.of("Amount", 20)));

      assertThat(end)
          .isInstanceOfSatisfying(
              CaseResult.Failed.class,
              failed -> {
                assertThat(failed.error().reason()).isEqualTo("ErrTx");
                assertThat(failed.error().detail()).contains("step A").contains("'*'");
              });
    }
  }

  @Test
  void the_work_of_all_rules_and_values_of_a_step_is_limited_together() throws Exception {
    String quorum = "\"quorum([l], 'lev', 'clique', 1, 1)\"";
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      texts.add((i + "-").repeat(256).substring(0, 256));
    }
    String rule = "{\"payload\": {}, \"rules\": [RULES], \"onValid\": {\"payload\": {VALUES}}}";
    String five = rule.replace("RULES", String.join(",", Collections.nCopies(5, quorum)));
    String more = "\"a\": " + quorum + ", \"b\": " + quorum;

    assertThat(run(five.replace("VALUES", ""), Map.of("l", texts))).isEmpty();
    try (Desk desk = new Desk().rule("a", five.replace("VALUES", more)).graph(ONE)) {
      CaseResult<Context> end = desk.end(desk.start("A", Map.of("l", texts)));

      assertThat(end)
          .isInstanceOfSatisfying(
              CaseResult.Failed.class,
              failed -> {
                assertThat(failed.error().reason()).isEqualTo("ErrTx");
                assertThat(failed.error().detail())
                    .contains("step A")
                    .contains("compares or matches more than 100000000");
              });
    }
  }

  @Test
  void declared_types_stay_and_undeclared_numbers_are_doubles() throws Exception {
    String rule =
        """
        {"payload": {"n": {"type": "int64"}, "big": {"type": "uint256"},
                     "flag": {"type": "bool"}, "at": {"type": "address"}},
         "rules": ["[n] + 1 == 8", "[free] + 0.5 == 2.5", "[flag]", "[big] == 12"],
         "onValid": {"payload": {"n": "[n]", "next": "([n] + 1)", "text": "n is [n]"}}}
        """;

    Map<String, ?> result =
        run(
            rule,
            Map.of("n", "7", "free", 2, "flag", "true", "big", 12, "at", "0x" + "ab".repeat(20)));

    assertThat(result).isEqualTo(Map.of("n", 7L, "next", 8L, "text", "n is 7"));
  }

  @Test
  void values_beyond_their_type_fail_the_session() throws Exception {
    for (String type : List.of("int64", "uint64", "address", "bytes32", "uuid", "bool")) {
      String rule = "{\"payload\": {\"x\": {\"type\": \"" + type + "\"}}}";
      try (Desk desk = new Desk().rule("a", rule).graph(ONE)) {
        CaseResult<Context> end = desk.end(desk.start("A", Map.of("x", "-99999999999999999999")));

        assertThat(end).as(type).isInstanceOf(CaseResult.Failed.class);
      }
    }
  }

  @Test
  void abort_ends_the_step_and_cancel_the_session() throws Exception {
    String rule =
        """
        {"payload": {"x": {"type": "string"}},
         "rules": [{"expression": "[x] == 'abort'", "type": "abortStep"},
                   {"expression": "[x] == 'cancel'", "type": "cancelSession"},
                   "[x] == 'good'"]}
        """;
    String graph = "\"S\": {\"rule\": \"s\", \"onValid\": {\"spawns\": [\"A\"]}}, " + ONE;
    String pass =
        "{\"payload\": {\"x\": {\"type\": \"string\"}}, \"onValid\": {\"payload\": {\"x\":"
            + " \"[x]\"}}}";
    try (Desk desk = new Desk().rule("a", rule).rule("s", pass).graph(graph)) {
      SessionKey abort = desk.start("S", Map.of("x", "abort"));
      SessionKey cancel = desk.start("S", Map.of("x", "cancel"));
      SessionKey good = desk.start("S", Map.of("x", "good"));
      SessionKey bad = desk.start("S", Map.of("x", "bad"));

      assertThat(desk.end(abort)).isInstanceOf(CaseResult.Completed.class);
      assertThat(desk.end(cancel)).isInstanceOf(CaseResult.Cancelled.class);
      desk.end(good);
      desk.end(bad);

      assertThat(desk.story(abort)).containsExactly("S:valid", "A:aborted");
      assertThat(desk.story(cancel)).containsExactly("S:valid", "A:cancelled");
      assertThat(desk.story(good)).containsExactly("S:valid", "A:valid");
      assertThat(desk.story(bad)).containsExactly("S:valid", "A:invalid");
    }
  }

  @Test
  void a_rule_that_reads_a_missing_key_is_false_and_one_that_is_no_boolean_fails()
      throws Exception {
    String missing =
        "{\"payload\": {}, \"rules\": [\"[nobody] > 1\"], \"onInvalid\": {\"payload\": {\"r\":"
            + " 1}}}";

    assertThat(run(missing, Map.of())).isEqualTo(Map.of("r", 1L));
    try (Desk desk = new Desk().rule("a", "{\"payload\": {}, \"rules\": [\"1 + 1\"]}").graph(ONE)) {
      assertThat(desk.end(desk.start("A", Map.of()))).isInstanceOf(CaseResult.Failed.class);
    }
  }

  @Test
  void an_outcome_that_misses_data_downgrades_the_step() throws Exception {
    String rule =
        """
        {"payload": {}, "onValid": {"payload": {"x": "[nobody]"}},
         "onInvalid": {"payload": {"y": 1}}}
        """;
    String both =
        """
        {"payload": {}, "onValid": {"payload": {"x": "[nobody]"}},
         "onInvalid": {"payload": {"y": "[nobody]"}}}
        """;

    assertThat(run(rule, Map.of())).isEqualTo(Map.of("y", 1L));
    assertThat(run(both, Map.of())).isEmpty();
  }

  @Test
  void reads_fill_slots_and_each_slot_has_its_own_default() throws Exception {
    String rule =
        """
        {"payload": {"who": {"type": "string"}},
         "contractReads": [
           {"to": "[who]", "function": "pair()", "saveAs": {
              "0": {"key": "first", "type": "int64"},
              "1": {"key": "second", "type": "int64", "default": 9}}},
           {"to": "other", "function": "twice(int64)",
            "args": [{"type": "int64", "value": "[first]"}],
            "saveAs": {"0": {"key": "third", "type": "int64"}}}],
         "rules": ["[first] == 5", "[second] == 9", "[third] == 10"],
         "onValid": {"payload": {"third": "[third]"}}}
        """;
    StateSource reader =
        request ->
            request.function().startsWith("pair")
                ? List.of(5, "no number")
                : List.of((Long) java.util.Objects.requireNonNull(request.args().getFirst()) * 2);
    try (Desk desk =
        new Desk(new dev.damask.store.MemoryStore(), o -> o.withReader(reader))
            .rule("a", rule)
            .graph(ONE)) {
      SessionKey key = desk.start("A", Map.of("who", "alice"));
      desk.end(key);

      assertThat(desk.result(key)).isEqualTo(Map.of("third", 10L));
      assertThat(desk.sessions.engine().receipts(key.caseId())).hasSize(2);
      assertThat(desk.sessions.log(key, line -> true).getFirst().json())
          .contains("\"contractSaves\":{\"first\":5,\"second\":9,\"third\":10}");
    }
  }

  @Test
  void a_read_that_fails_is_tried_again_and_then_uses_defaults_or_makes_the_step_invalid()
      throws Exception {
    String rule =
        """
        {"payload": {}, "contractReads": [{"to": "x", "function": "f()", "saveAs": {
            "0": {"key": "v", "type": "int64"FALLBACK}}}],
         "onValid": {"payload": {"v": "[v]"}}, "onInvalid": {"payload": {"lost": true}}}
        """;
    AtomicInteger attempts = new AtomicInteger();
    StateSource broken =
        request -> {
          attempts.incrementAndGet();
          throw new IllegalStateException("no connection");
        };
    for (String fallback : List.of("", ", \"default\": 3")) {
      try (Desk desk =
          new Desk(new dev.damask.store.MemoryStore(), o -> o.withReader(broken))
              .rule("a", rule.replace("FALLBACK", fallback))
              .graph(ONE)) {
        attempts.set(0);
        SessionKey key = desk.start("A", Map.of());
        while (attempts.get() < Lowering.ATTEMPTS) {
          desk.clock.advance(1_000);
          LockSupport.parkNanos(100_000);
        }
        desk.end(key);

        assertThat(desk.result(key))
            .isEqualTo(fallback.isEmpty() ? Map.of("lost", true) : Map.of("v", 3L));
      }
    }
  }

  @Test
  void an_execution_that_is_reverted_flips_the_step_to_invalid() throws Exception {
    String rule =
        """
        {"payload": {"n": {"type": "int64"}},
         "onValid": {"payload": {"done": true}, "execution": {
            "to": "bank", "function": "pay(int64)", "args": [{"type": "int64", "value": "[n]"}]}},
         "onInvalid": {"payload": {"done": false}}}
        """;
    Executor executor =
        request -> {
          if (java.util.Objects.equals(request.args().getFirst(), 13L)) {
            throw new Executor.Reverted("unlucky");
          }
          return Map.of("tx", request.key().isEmpty() ? "" : "ok");
        };
    try (Desk desk =
        new Desk(new dev.damask.store.MemoryStore(), o -> o.withExecutor(executor))
            .rule("a", rule)
            .graph(ONE)) {
      SessionKey good = desk.start("A", Map.of("n", 1));
      SessionKey bad = desk.start("A", Map.of("n", 13));
      desk.end(good);
      desk.end(bad);

      assertThat(desk.result(good)).isEqualTo(Map.of("done", true));
      assertThat(desk.result(bad)).isEqualTo(Map.of("done", false));
      assertThat(desk.sessions.log(bad, line -> true).getFirst().json())
          .contains("\"reverted\":\"unlucky\"");
    }
  }

  @Test
  void a_rule_beyond_a_cap_fails_the_session_when_it_is_loaded() throws Exception {
    String many = "{\"payload\": {}, \"rules\": [" + "\"true\",".repeat(64) + "\"true\"]}";

    assertThatThrownBy(() -> RuleDocument.read(many))
        .isInstanceOf(Rejected.class)
        .hasMessageContaining("cap RULES (rules): observed 65, maximum 64");
    RuleSource.Cache rules = new RuleSource.Cache(key -> many);
    assertThatThrownBy(() -> rules.get("x"))
        .isInstanceOfSatisfying(
            EvaluationException.Hard.class,
            hard -> assertThat(hard.kind()).isEqualTo("ErrLimitsExceeded"));
  }

  @Test
  void secrets_decide_rules_and_are_written_nowhere() throws Exception {
    String canary = "canary-8f2a";
    String rule =
        """
        {"payload": {}, "rules": ["[__secret] == 'canary-8f2a'"],
         "onValid": {"payload": {"ok": true}}, "onInvalid": {"payload": {"ok": false}}}
        """;
    String leak = "{\"payload\": {}, \"rules\": [\"int([__secret]) > 0\"]}";
    String payload = "{\"payload\": {}, \"onValid\": {\"payload\": {\"x\": \"[__secret]\"}}}";
    try (Desk desk = new Desk().rule("a", rule).graph(ONE)) {
      SessionKey key = desk.start("A", Map.of("__secret", canary));
      desk.end(key);
      assertThat(desk.result(key)).isEqualTo(Map.of("ok", true));
      assertThat(everything(desk, key)).doesNotContain(canary);

      desk.rule("a", leak);
      SessionKey failing = desk.start("A", Map.of("__secret", canary));
      assertThat(desk.end(failing).toString()).doesNotContain(canary).contains("[secret]");

      desk.rule("a", payload);
      SessionKey written = desk.start("A", Map.of("__secret", canary));
      desk.end(written);
      assertThat(everything(desk, written)).doesNotContain(canary);
      assertThatThrownBy(() -> desk.start("A", Map.of("__secret", "x".repeat(513))))
          .hasMessageContaining("observed 513, maximum 512");
      assertThatThrownBy(() -> desk.start("A", Map.of("__secret", "a\nb")))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static String everything(Desk desk, SessionKey key) {
    return desk.sessions.view(key)
        + desk.sessions.engine().trace(key.caseId()).toString()
        + desk.sessions.engine().receipts(key.caseId())
        + desk.sessions.engine().status(key.caseId());
  }
}
