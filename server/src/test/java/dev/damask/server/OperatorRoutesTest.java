package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.server.ServedEngine.Answer;
import dev.damask.term.Flow;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Proofs, schedules, restarts, secrets in claims and the removal of audit entries over HTTP.
@Timeout(60)
final class OperatorRoutesTest {
  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
  }

  @AfterEach
  void close() {
    served.close();
  }

  private Answer done(String path, String body) {
    Answer answer = served.post(served.operator, path, body);
    assertThat(answer.status()).as("%s %s", path, answer.text()).isIn(200, 201);
    return answer;
  }

  @Test
  void the_proof_of_a_document_has_a_verdict_and_of_an_unsound_one_a_counterexample() {
    served.register(
        """
        workflow: stuck
        places:
          never: {}
        do:
          - task: one
          - take: never
          - task: two
        """);

    Answer sound = served.get(served.operator, "/v1/workflows/order/proof");
    Answer unsound = served.get(served.operator, "/v1/workflows/stuck/proof");

    assertThat(sound.at("verdict")).as(sound.text()).isEqualTo("SOUND");
    assertThat(sound.at("program"))
        .isEqualTo(served.get(served.viewer, "/v1/workflows/order").at("program"));
    assertThat(unsound.at("verdict")).as(unsound.text()).isEqualTo("UNSOUND");
    assertThat(unsound.at("findings.0.line")).isNotNull();
    assertThat(unsound.at("counterexample.0.text")).isNotNull();
    assertThat(served.get(served.viewer, "/v1/workflows/order/proof").status()).isEqualTo(403);
    assertThat(served.get(served.limited, "/v1/workflows/covertplan/proof").status())
        .isEqualTo(404);
  }

  @Test
  void a_workflow_written_in_java_is_proved_without_a_document() {
    served.engine.register(Flow.workflow("java", Flow.seq(Flow.effect("a"), Flow.effect("b"))));

    Answer proof = served.get(served.operator, "/v1/workflows/java/proof");

    assertThat(proof.at("verdict")).as(proof.text()).isEqualTo("SOUND");
    assertThat(proof.at("counterexample")).isNull();
  }

  @Test
  void a_schedule_is_paused_resumed_and_triggered() {
    String path = "/v1/schedules/nightly";
    done(path + "/pause", "{}");
    assertThat(served.get(served.viewer, path).at("paused")).isEqualTo(true);
    done(path + "/resume", "{}");
    assertThat(served.get(served.viewer, path).at("paused")).isEqualTo(false);
    Object before = served.get(served.viewer, "/v1/cases?workflow=order").at("items.6.id");

    done(path + "/trigger", "{}");

    assertThat(before).isNull();
    assertThat(served.get(served.viewer, "/v1/cases?workflow=order").at("items.6.id")).isNotNull();
    assertThat(served.post(served.viewer, path + "/trigger", "{}").status()).isEqualTo(403);
    assertThat(served.post(served.limited, "/v1/schedules/covert-nightly/trigger", "{}").status())
        .isEqualTo(404);
    assertThat(served.post(served.operator, "/v1/schedules/none/resume", "{}").status())
        .isEqualTo(404);
  }

  @Test
  void an_id_of_a_session_is_refused_for_a_new_case() {
    Answer started =
        served.post(served.admin, "/v1/cases", "{\"workflow\":\"order\",\"id\":\"session:eve:9\"}");
    Answer again =
        served.post(served.admin, "/v1/cases/order-1/restart", "{\"id\":\"session:eve:9\"}");

    for (Answer refused : List.of(started, again)) {
      assertThat(refused.status()).as(refused.text()).isEqualTo(400);
      assertThat(refused.text()).contains("the id 'session:eve:9' is reserved");
    }
  }

  @Test
  void a_case_starts_again_from_a_position_and_keeps_what_was_done_before() {
    String positions = "/v1/cases/order-1/positions";
    Object total = served.get(served.viewer, positions).at("total");

    Answer again =
        done("/v1/cases/order-1/restart", "{\"id\":\"again-1\",\"position\":" + total + "}");
    Answer keyed =
        served.post(
            served.operator,
            "/v1/cases/order-1/restart",
            "{\"position\":1}",
            "Idempotency-Key",
            "r");
    Answer repeated =
        served.post(
            served.operator,
            "/v1/cases/order-1/restart",
            "{\"position\":1}",
            "Idempotency-Key",
            "r");

    assertThat(again.status()).isEqualTo(201);
    assertThat(served.get(served.admin, "/v1/cases/again-1").at("context.parcel")).isEqualTo(7L);
    assertThat(served.get(served.viewer, "/v1/cases/again-1/receipts").at("items.0.task"))
        .isNotNull();
    assertThat(keyed.status()).as(keyed.text()).isEqualTo(201);
    assertThat(repeated.at("id")).isEqualTo(keyed.at("id"));
    String first = "/v1/cases/" + keyed.at("id");
    assertThat(served.get(served.admin, first).at("context.parcel")).isNull();
    assertThat(
            served
                .post(served.operator, "/v1/cases/order-1/restart", "{\"position\":999}")
                .status())
        .isIn(400, 409);
  }

  @Test
  void a_claim_has_markers_in_the_place_of_secrets_and_redacted_values() {
    served.register(
        """
        workflow: pay
        redact: [card]
        do:
          - task: charge
            effect: { type: charge, with: { card: "${card}", auth: "Bearer ${secret.BANK}" } }
        """);
    served.start("pay", "pay-1", Context.of("card", "4711"));
    served.start("pay", "pay-2", Context.of("card", "4712"));
    String trusted =
        served.tokens.issue(
            new Caller("tim", Role.WORKER, Caller.ALL, Caller.ALL, true, Optional.empty()));
    String body = "{\"types\":[\"charge\"]}";

    Answer plain = served.post(served.worker, "/v1/tasks/claim", body);
    Answer keyed = served.post(trusted, "/v1/tasks/claim", body, "Idempotency-Key", "k");
    Answer full = served.post(trusted, "/v1/tasks/claim", body);

    assertThat(plain.at("items.0.payload"))
        .isEqualTo(Map.of("card", "•••", "auth", "Bearer ${secret.BANK}"));
    assertThat(keyed.status()).isEqualTo(400);
    assertThat(full.at("items.0.payload"))
        .isEqualTo(Map.of("card", "4712", "auth", "Bearer secret-of-BANK"));
  }

  @Test
  void the_oldest_entries_of_the_audit_log_are_removed() {
    done("/v1/cases/order-2/cancel", "{}");
    done("/v1/cases/order-3/cancel", "{}");
    String late = "{\"before\":\"2999-01-01T00:00:00Z\",\"limit\":1}";

    Answer early =
        served.post(served.admin, "/v1/audit/trim", "{\"before\":\"2000-01-01T00:00:00Z\"}");
    Answer one = served.post(served.admin, "/v1/audit/trim", late);
    Answer none = served.post(served.operator, "/v1/audit/trim", late);
    Answer bad = served.post(served.admin, "/v1/audit/trim", "{\"before\":\"soon\"}");

    assertThat(early.at("removed")).isEqualTo(0L);
    assertThat(one.at("removed")).isEqualTo(1L);
    assertThat(List.of(none.status(), bad.status())).containsExactly(403, 400);
    String log = served.get(served.admin, "/v1/audit").text();
    assertThat(log).doesNotContain("order-2").contains("order-3").contains("/v1/audit/trim");
  }
}
