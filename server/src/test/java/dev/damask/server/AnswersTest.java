package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Desk;
import dev.damask.api.Route;
import dev.damask.api.Site;
import dev.damask.routes.Api;
import dev.damask.server.ServedEngine.Answer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Every route succeeds here, and [ServedEngine] compares each answer with the OpenAPI document. A
/// new route must be called here, or have an example.
@Timeout(120)
final class AnswersTest {
  @TempDir Path folder;
  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.on(folder.resolve("store"), folder.resolve("backups"));
  }

  @AfterEach
  void close() {
    served.close();
  }

  private Answer done(String method, String path, String body) {
    Answer answer = served.send(method, served.admin, path, body);
    assertThat(answer.status()).as("%s %s: %s", method, path, answer.text()).isLessThan(300);
    return answer;
  }

  private Answer post(String path, String body) {
    return done("POST", path, body);
  }

  private static String text(Answer answer, String path) {
    return String.valueOf(Objects.requireNonNull(answer.at(path)));
  }

  @Test
  void every_answer_of_every_route_is_as_the_document_describes_it() throws Exception {
    sessions();
    tasks();
    incidents();
    cases();
    jobs();
    String code = served.server.link().toString().replaceAll(".*#code=", "");
    post("/v1/session", "{\"code\":\"" + code + "\"}");
    examples();
    migrations();
    done("DELETE", "/v1/schedules/hourly", "");
    done("DELETE", "/v1/cases/order-4", "");

    assertThat(served.answers.missing()).isEmpty();
  }

  private void examples() {
    List<Route> routes;
    try (Desk desk = Desk.open(served.engine, Site.of("test"), Clock.systemUTC())) {
      routes = Api.table(desk, served.tokens).routes();
    }
    for (Route each : routes) {
      Route.Example example = each.example();
      if (example != null) {
        done(each.method(), example.path(), example.body());
      }
    }
  }

  private void sessions() throws InterruptedException {
    String session = "/v1/sessions/" + served.startSession();
    Answer shown = done("GET", session, "");
    String owned = "/v1/owners/eve/sessions/" + text(shown, "number");
    done("GET", owned, "");
    done("GET", owned + "/log", "");
    done("GET", "/v1/owned/sessions?owner=eve", "");
    done("GET", "/v1/owned/processes?owner=eve", "");
    done("GET", "/v1/owned/targets?owner=eve", "");
    post(session + "/pause", "{}");
    post(session + "/resume", "{}");
    post(session + "/wake", "{\"step\":\"Doc\"}");
    post(session + "/kill", "{}");
    done("GET", session, "");
  }

  private void tasks() {
    served.register(
        """
        workflow: work
        do:
          - task: dig
            key: name
        """);
    post("/v1/cases", "{\"workflow\":\"work\",\"id\":\"w-1\",\"input\":{\"name\":\"n-1\"}}");
    for (String end : List.of("release", "complete", "fail")) {
      if (end.equals("fail")) {
        post("/v1/cases", "{\"workflow\":\"work\",\"id\":\"w-2\",\"input\":{\"name\":\"n-2\"}}");
      }
      Answer claim = post("/v1/tasks/claim", "{\"types\":[\"dig\"]}");
      String task = "/v1/tasks/" + text(claim, "items.0.claim") + "/";
      post(task + "heartbeat", "{}");
      post(task + end, end.equals("fail") ? "{\"reason\":\"broken\"}" : "{}");
    }
    done("GET", "/v1/workers", "");
    done("GET", "/v1/receipts?type=dig&key=n-1", "");
    done("GET", "/v1/cases/w-2", ""); // it has failed
  }

  private void incidents() {
    served.start("kaputt", "kaputt-2", dev.damask.value.Context.empty());
    served.start("kaputt", "kaputt-3", dev.damask.value.Context.empty());
    Answer first = done("GET", "/v1/incidents?case=kaputt-1", "");
    while (first.at("items.0.id") == null) {
      first = done("GET", "/v1/incidents?case=kaputt-1", "");
    }
    post("/v1/cases/kaputt-1/retry", "{\"task\":\"kaboom\"}");
    for (String end : List.of("retry", "skip", "fail")) {
      Answer list = done("GET", "/v1/incidents", "");
      while (list.at("items.0.id") == null) {
        list = done("GET", "/v1/incidents", "");
      }
      post("/v1/incidents/" + text(list, "items.0.id") + "/" + end, "{}");
    }
  }

  private void cases() {
    served.register(
        """
        workflow: asks
        places:
          go: { external: true }
        do:
          - task: sign
            effect: { type: approval, with: { approvers: [anna] } }
          - mi: all
            count: 1
            open: untilClosed
            do:
              - task: note
        """);
    post("/v1/cases", "{\"workflow\":\"asks\",\"id\":\"a-1\",\"input\":{}}");
    post("/v1/cases", "{\"workflow\":\"asks\",\"id\":\"a-1\"}");
    post("/v1/cases/a-1/decide", "{\"task\":\"sign\",\"approve\":true}");
    post("/v1/cases/a-1/instances", "{\"set\":\"all\"}");
    done("GET", "/v1/cases/a-1", "");
    post("/v1/cases/order-6/pause", "{\"reason\":\"wait\"}");
    done("GET", "/v1/cases/order-6", "");
    post("/v1/cases/order-6/resume", "{}");
    Answer shown = done("GET", "/v1/cases/order-6", "");
    post(
        "/v1/cases/order-6/change",
        "{\"token\":%s,\"set\":{\"note\":1},\"reason\":\"typo\"}"
            .formatted(text(shown, "tokens.0.token")));
    done("GET", "/v1/cases/order-1/summary", "");
  }

  private void migrations() {
    Answer workflow = done("GET", "/v1/workflows/order", "");
    String old = text(workflow, "program");
    String document = ServedEngine.ORDER.replace("task: thank", "task: praise");
    String next = text(done("PUT", "/v1/workflows/order", document), "program");
    String move = "{\"from\":\"%s\",\"to\":\"%s\"".formatted(old, next);
    post("/v1/workflows/order/migration", move + ",\"dryRun\":true}");
    post("/v1/cases/order-2/migrate", "{\"to\":\"" + next + "\"}");
    post("/v1/workflows/order/migration", move + "}");
  }

  private void jobs() {
    String job = "/v1/jobs/" + text(post("/v1/jobs/backup", "{\"name\":\"copy\"}"), "job");
    done("GET", job, "");
    post(job + "/stop", "{}");
  }
}
