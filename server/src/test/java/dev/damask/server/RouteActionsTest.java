package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.server.ServedEngine.Answer;
import dev.damask.value.Context;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The routes whose examples need ids that only a run knows, on RocksDB.
@Timeout(120)
final class RouteActionsTest {
  /// The routes that this class calls.
  static final List<String> CALLED =
      List.of(
          "POST /v1/session",
          "POST /v1/cases/{case}/decide",
          "POST /v1/cases/{case}/retry",
          "POST /v1/cases/{case}/resume",
          "POST /v1/cases/{case}/change",
          "POST /v1/cases/{case}/instances",
          "DELETE /v1/cases/{case}",
          "POST /v1/cases/{case}/migrate",
          "POST /v1/workflows/{workflow}/migration",
          "POST /v1/incidents/{incident}/retry",
          "POST /v1/incidents/{incident}/skip",
          "POST /v1/incidents/{incident}/fail",
          "DELETE /v1/schedules/{name}",
          "POST /v1/jobs/backup",
          "GET /v1/jobs/{job}",
          "POST /v1/jobs/{job}/stop",
          "POST /v1/tasks/{claim}/heartbeat",
          "POST /v1/tasks/{claim}/complete",
          "POST /v1/tasks/{claim}/fail",
          "POST /v1/tasks/{claim}/release",
          "GET /v1/receipts",
          "GET /v1/owners/{owner}/sessions/{number}",
          "GET /v1/owners/{owner}/sessions/{number}/log",
          "GET /v1/sessions/{session}",
          "POST /v1/sessions/{session}/wake",
          "POST /v1/sessions/{session}/pause",
          "POST /v1/sessions/{session}/resume",
          "POST /v1/sessions/{session}/kill");

  @TempDir private Path folder;
  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.on(folder.resolve("store"), folder);
  }

  @AfterEach
  void close() {
    served.close();
  }

  private Answer post(String path, String body) {
    return served.post(served.admin, path, body);
  }

  private Answer done(String path, String body) {
    Answer answer = post(path, body);
    assertThat(answer.status()).as("%s %s", path, answer.text()).isIn(200, 201, 202);
    return answer;
  }

  @Test
  void a_paused_case_stores_inputs_and_is_changed_and_resumed() {
    done("/v1/cases/order-2/pause", "{\"reason\":\"wrong address\"}");
    Answer stored = done("/v1/cases/order-2/signal", "{\"place\":\"approved\"}");
    Answer shown = served.get(served.admin, "/v1/cases/order-2");
    Object token = shown.at("tokens.0.token");
    done(
        "/v1/cases/order-2/change",
        "{\"token\":" + token + ",\"set\":{\"customer\":\"zeta\"},\"reason\":\"moved\"}");
    done("/v1/cases/order-2/resume", "{}");

    assertThat(stored.at("outcome")).isEqualTo("stored");
    assertThat(shown.at("status")).isEqualTo("PAUSED");
    assertThat(served.get(served.admin, "/v1/cases/order-2").at("context.customer"))
        .isEqualTo("zeta");
    assertThat(served.get(served.admin, "/v1/cases/order-2/positions").text())
        .contains("data_changed");
  }

  @Test
  void changes_are_in_the_audit_log_of_the_engine_with_their_actor() {
    Answer done =
        served.post(served.operator, "/v1/cases/order-3/cancel", "{\"reason\":\"twice\"}");
    assertThat(done.status()).as(done.text()).isEqualTo(200);
    served.post(served.viewer, "/v1/cases/order-3/cancel", "{}");

    String log = served.get(served.admin, "/v1/audit").text();

    assertThat(log).contains("otto").contains("order-3").contains("vera").contains("403 forbidden");
  }

  @Test
  void a_decision_is_made_under_the_name_of_the_token() {
    served.register(
        """
        workflow: asks
        do:
          - task: sign
            effect: { type: approval, with: { approvers: [otto] } }
        """);
    served.start("asks", "asks-1", Context.empty());
    String body = "{\"task\":\"sign\",\"approve\":true}";

    assertThat(post("/v1/cases/asks-1/decide", body).status()).isEqualTo(409);
    assertThat(served.post(served.operator, "/v1/cases/asks-1/decide", body).status())
        .isEqualTo(200);
  }

  @Test
  void open_sets_get_instances_and_are_closed() {
    served.register(
        """
        workflow: many
        do:
          - mi: lots
            count: 1
            open: untilClosed
            do:
              - task: one
        """);
    served.start("many", "many-1", Context.empty());

    done("/v1/cases/many-1/instances", "{\"set\":\"lots\"}");
    done("/v1/cases/many-1/instances", "{\"set\":\"lots\",\"close\":true}");
  }

  @Test
  void a_case_is_deleted_only_after_its_end() {
    Answer early = served.send("DELETE", served.admin, "/v1/cases/order-4", "");
    done("/v1/cases/order-4/cancel", "{}");
    Answer late = served.send("DELETE", served.admin, "/v1/cases/order-4", "");

    assertThat(early.status()).isEqualTo(409);
    assertThat(late.status()).as(late.text()).isEqualTo(200);
    assertThat(served.get(served.admin, "/v1/cases/order-4").status()).isEqualTo(404);
  }

  @Test
  void cases_move_to_another_version_alone_and_all_together() throws InterruptedException {
    Object old = served.get(served.admin, "/v1/workflows/order").at("program");
    String text =
        ServedEngine.ORDER.replace("- task: thank", "- task: thank\n          - task: greet");
    Answer put = served.send("PUT", served.admin, "/v1/workflows/order", text);
    assertThat(put.status()).as(put.text()).isEqualTo(200);
    Object to = put.at("program");

    done("/v1/cases/order-2/migrate", "{\"to\":\"" + to + "\"}");
    String both = "\"from\":\"" + old + "\",\"to\":\"" + to + "\"";
    Answer dry = done("/v1/workflows/order/migration", "{" + both + ",\"dryRun\":true}");
    Answer job = done("/v1/workflows/order/migration", "{" + both + "}");
    Answer ended = ended(job);

    assertThat(dry.at("possible")).as(dry.text()).isEqualTo(5L);
    assertThat(ended.at("possible")).as(ended.text()).isEqualTo(5L);
    assertThat(served.get(served.admin, "/v1/cases/order-5").at("program")).isEqualTo(to);
  }

  @Test
  void a_stored_document_puts_its_schedule_or_is_refused_with_it() {
    String text =
        """
        workflow: nightshift
        input:
          required: [shop]
        schedule: { cron: "0 2 * * *", zone: Europe/Berlin, catchUp: none, with: { shop: 7 } }
        do:
          - task: count
        """;
    String wrong = text.replace("shop: 7", "shoe: 7").replace("nightshift", "dayshift");

    Answer put = served.send("PUT", served.admin, "/v1/workflows/nightshift", text);
    Answer refused = served.send("PUT", served.admin, "/v1/workflows/dayshift", wrong);

    assertThat(put.status()).as(put.text()).isEqualTo(200);
    Answer schedule = served.get(served.admin, "/v1/schedules/nightshift");
    assertThat(schedule.at("timing")).asString().contains("0 2 * * *");
    assertThat(schedule.at("catchUp")).isEqualTo("none");
    assertThat(refused.status()).as(refused.text()).isEqualTo(422);
    assertThat(refused.at("findings.0.code")).isEqualTo("SCHEDULE_INPUT");
    assertThat(refused.at("findings.0.line")).isEqualTo(4L);
    assertThat(served.get(served.admin, "/v1/workflows/dayshift").status()).isEqualTo(404);
  }

  @Test
  void a_schedule_says_which_missed_times_start_cases() {
    String start = "{\"workflow\":\"order\",\"every\":\"PT1H\",\"catchUp\":\"";
    Answer within = served.send("PUT", served.operator, "/v1/schedules/caught", start + "PT6H\"}");
    Answer wrong = served.send("PUT", served.operator, "/v1/schedules/caught", start + "all\"}");

    assertThat(within.status()).as(within.text()).isEqualTo(200);
    assertThat(within.at("catchUp")).asString().contains("PT6H");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.text()).contains("catchUp must be none, last or a duration such as PT6H");
  }

  /// Waits for a job.
  private Answer ended(Answer started) throws InterruptedException {
    String path = "/v1/jobs/" + started.at("job");
    Answer answer = served.get(served.admin, path);
    while ("RUNNING".equals(answer.at("state"))) {
      LockSupport.parkNanos(100_000);
      answer = served.get(served.admin, path);
    }
    return answer;
  }

  @Test
  void incidents_are_retried_skipped_and_failed() throws InterruptedException {
    for (int i = 2; i <= 3; i++) {
      served.start("kaputt", "kaputt-" + i, Context.empty());
    }
    for (String action : List.of("skip", "fail", "retry")) {
      Answer list = served.get(served.admin, "/v1/incidents?workflow=kaputt");
      while (list.at("items.0.id") == null) {
        list = served.get(served.admin, "/v1/incidents?workflow=kaputt");
      }
      Object id = list.at("items.0.id");
      done("/v1/incidents/" + id + "/" + action, "{}");
      assertThat(served.post(served.limited, "/v1/incidents/" + id + "/" + action, "{}").status())
          .isEqualTo(404);
    }
  }

  @Test
  void a_case_that_is_not_quarantined_cannot_be_released() {
    assertThat(post("/v1/cases/order-5/retry", "{}").status()).isEqualTo(409);
    assertThat(post("/v1/cases/order-5/retry", "{\"task\":\"none\"}").status()).isEqualTo(409);
  }

  @Test
  void a_worker_claims_extends_answers_and_gives_back_tasks() {
    String claim = "/v1/tasks/claim";
    String one = "{\"types\":[\"ship\"],\"max\":3,\"lease\":\"PT1M\"}";
    Answer claimed = served.post(served.worker, claim, one);
    assertThat(claimed.at("items.2.case")).as(claimed.text()).isNotNull();
    String first = "/v1/tasks/" + claimed.at("items.0.claim");
    String second = "/v1/tasks/" + claimed.at("items.1.claim");
    String third = "/v1/tasks/" + claimed.at("items.2.claim");

    Answer beat = served.post(served.worker, first + "/heartbeat", "{\"lease\":\"PT2M\"}");
    Answer done = served.post(served.worker, first + "/complete", "{\"result\":{\"parcel\":1}}");
    Answer again = served.post(served.worker, first + "/complete", "{}");
    Answer failed = served.post(served.worker, second + "/fail", "{\"reason\":\"lost\"}");
    Answer released = served.post(served.worker, third + "/release", "{}");
    Answer late = served.post(served.worker, third + "/heartbeat", "{}");

    assertThat(beat.at("until")).as(beat.text()).isNotNull();
    assertThat(done.status()).as(done.text()).isEqualTo(200);
    assertThat(again.at("outcome")).isEqualTo("late");
    assertThat(failed.status()).as(failed.text()).isEqualTo(200);
    assertThat(released.status()).as(released.text()).isEqualTo(200);
    assertThat(late.status()).isEqualTo(409);
    assertThat(served.get(served.admin, "/v1/workers").at("items.0.worker")).isEqualTo("wim");
  }

  @Test
  void a_limited_token_claims_tasks_of_its_workflows_alone() {
    Answer claimed =
        served.post(served.limited, "/v1/tasks/claim", "{\"types\":[\"spywork\"],\"max\":9}");
    Answer all = served.post(served.worker, "/v1/tasks/claim", "{\"types\":[\"spywork\"]}");
    String path = "/v1/tasks/" + all.at("items.0.claim") + "/complete";

    assertThat(claimed.at("items")).isEqualTo(List.of());
    assertThat(all.at("items.0.case")).isEqualTo("covert-1");
    assertThat(served.post(served.limited, path, "{}").status()).isEqualTo(404);
  }

  @Test
  void a_schedule_is_removed() {
    assertThat(served.send("DELETE", served.admin, "/v1/schedules/nightly", "").status())
        .isEqualTo(200);
    assertThat(served.get(served.admin, "/v1/schedules/nightly").status()).isEqualTo(404);
  }

  @Test
  void a_backup_is_made_in_the_directory_of_backups_and_nowhere_else() throws InterruptedException {
    Answer job = done("/v1/jobs/backup", "{\"name\":\"monday\"}");
    Answer ended = ended(job);
    Answer outside = post("/v1/jobs/backup", "{\"name\":\"../outside\"}");

    assertThat(ended.at("state")).as(ended.text()).isEqualTo("DONE");
    assertThat(Files.isDirectory(folder.resolve("monday").resolve("data"))).isTrue();
    assertThat(outside.status()).isEqualTo(400);
    assertThat(done("/v1/jobs/" + job.at("job") + "/stop", "{}").at("job"))
        .isEqualTo(job.at("job"));
    assertThat(served.get(served.limited, "/v1/jobs/" + job.at("job")).status()).isEqualTo(404);
  }

  @Test
  void sessions_are_shown_paused_woken_and_killed() throws InterruptedException {
    Object id = served.startSession();
    String path = "/v1/sessions/" + id;

    Answer shown = served.get(served.viewer, path);
    Answer summary = served.get(served.viewer, "/v1/owners/eve/sessions/1");
    assertThat(summary.at("processes.0.step")).as(summary.text()).isEqualTo("Arm");
    assertThat(served.get(served.viewer, "/v1/owners/eve/sessions/2").status()).isEqualTo(404);
    assertThat(served.get(served.limited, "/v1/owners/eve/sessions/1").status()).isEqualTo(404);
    assertThat(served.get(served.limited, "/v1/owned/sessions?owner=eve").at("items"))
        .isEqualTo(List.of());
    assertThat(served.get(served.operator, "/v1/owners/eve/sessions/1/log").text()).contains("Arm");
    assertThat(served.get(served.limited, "/v1/owners/eve/sessions/1/log").status()).isEqualTo(404);
    done(path + "/pause", "{}");
    done(path + "/resume", "{}");
    assertThat(post(path + "/wake", "{\"process\":2}").status()).isEqualTo(200);
    done(path + "/kill", "{}");

    assertThat(shown.at("tree.0.step")).as(shown.text()).isNotNull();
    assertThat(served.get(served.limited, path).status()).isEqualTo(404);
    assertThat(served.get(served.limited, "/v1/sessions").at("items")).isEqualTo(List.of());
    assertThat(served.get(served.admin, "/v1/sessions").at("items.0.id")).isEqualTo(id);
  }
}
