package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.server.ServedEngine.Answer;
import dev.damask.store.CaseStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Actions on all cases that match a filter run on the server.
@Timeout(60)
final class BulkTest {
  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
  }

  @AfterEach
  void close() {
    served.close();
  }

  private Answer bulk(String token, String filter, String body) {
    Answer started = served.post(token, "/v1/cases/bulk" + filter, body);
    assertThat(started.status()).as(started.text()).isEqualTo(202);
    Answer job = started;
    while ("RUNNING".equals(job.at("state"))) {
      job = served.get(token, "/v1/jobs/" + started.at("job"));
    }
    return job;
  }

  @Test
  void a_dry_run_counts_and_changes_nothing_and_the_run_does_what_it_said() {
    String pause = "{\"action\":\"pause\",\"reason\":\"storm\"";
    Answer dry = bulk(served.operator, "?workflow=order", pause + ",\"dryRun\":true}");
    assertThat(served.engine.status("order-2").status()).isEqualTo(CaseStatus.WAITING);
    Answer done = bulk(served.operator, "?workflow=order", pause + "}");
    Answer again = bulk(served.operator, "?workflow=order", pause + "}");
    Answer resumed = bulk(served.operator, "?workflow=order", "{\"action\":\"resume\"}");

    assertThat(dry.at("outcomes.accepted")).as(dry.text()).isEqualTo(6L);
    assertThat(done.at("state")).isEqualTo("DONE");
    assertThat(done.at("done")).isEqualTo(6L);
    assertThat(done.at("total")).isEqualTo(6L);
    assertThat(again.at("outcomes.rejected")).as(again.text()).isEqualTo(6L);
    assertThat(again.at("refused.0.id")).isNotNull();
    assertThat(resumed.at("done")).isEqualTo(6L);
    assertThat(served.engine.status("covert-1").status()).isEqualTo(CaseStatus.WAITING);
    assertThat(served.get(served.admin, "/v1/audit?limit=1000").text()).contains("storm", "otto");
  }

  @Test
  void incidents_are_retried_signals_are_sent_and_cases_are_cancelled_by_filter() {
    while (served.get(served.admin, "/v1/incidents").at("items.0.id") == null) {
      Thread.onSpinWait();
    }
    Answer retried = bulk(served.operator, "?workflow=kaputt", "{\"action\":\"retry\"}");
    Answer sent =
        bulk(
            served.operator,
            "?workflow=order&where=waitingFor%20%3D%20approved",
            "{\"action\":\"signal\",\"place\":\"approved\"}");
    Answer cancelled =
        bulk(served.operator, "?workflow=order&status=waiting", "{\"action\":\"cancel\"}");

    assertThat(retried.at("done")).as(retried.text()).isEqualTo(1L);
    assertThat(sent.at("done")).as(sent.text()).isEqualTo(1L);
    assertThat(cancelled.at("done")).as(cancelled.text()).isEqualTo(6L);
    assertThat(served.engine.status("order-6").status()).isEqualTo(CaseStatus.CANCELLED);
  }

  @Test
  void a_limited_token_acts_on_cases_of_its_workflows_alone() {
    String cancel = "{\"action\":\"cancel\"}";
    assertThat(served.post(served.limited, "/v1/cases/bulk", cancel).status()).isEqualTo(400);
    assertThat(served.post(served.limited, "/v1/cases/bulk?workflow=covertplan", cancel).status())
        .isEqualTo(404);
    Answer done = bulk(served.limited, "?workflow=order", cancel);

    assertThat(done.at("done")).as(done.text()).isEqualTo(6L);
    assertThat(served.engine.status("covert-1").status()).isEqualTo(CaseStatus.WAITING);
    assertThat(served.post(served.viewer, "/v1/cases/bulk", cancel).status()).isEqualTo(403);
  }
}
