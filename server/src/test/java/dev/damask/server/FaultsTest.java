package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.server.ServedEngine.Answer;
import dev.damask.store.CaseStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a client receives when something is wrong.
@Timeout(60)
final class FaultsTest {
  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
  }

  @AfterEach
  void close() {
    served.close();
  }

  @Test
  void a_revision_that_nothing_compares_is_refused() {
    String job = "/v1/jobs/verify";
    Answer answer = served.post(served.admin, job, "{}", "If-Match", "\"1\"");

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).contains("If-Match");
    assertThat(served.post(served.admin, job, "{}").status()).isEqualTo(202);
  }

  @Test
  void a_schedule_of_another_workflow_does_not_exist_for_a_limited_token() {
    Answer answer =
        served.send(
            "PUT",
            served.limited,
            "/v1/schedules/covert-nightly",
            "{\"workflow\":\"order\",\"every\":\"PT1H\"}");

    assertThat(answer.status()).isEqualTo(404);
  }

  @Test
  void head_is_answered_like_get_without_a_body() {
    Answer live = served.send("HEAD", "", "/health/live", "");
    Answer one = served.send("HEAD", served.viewer, "/v1/cases/order-1", "");
    Answer stream = served.send("HEAD", served.viewer, "/v1/events", "");

    assertThat(List.of(live.status(), one.status(), stream.status())).containsOnly(200);
    assertThat(one.header("ETag")).isNotEmpty();
    assertThat(live.text() + one.text() + stream.text()).isEmpty();
    assertThat(served.send("HEAD", "", "/v1/cases/order-1", "").status()).isEqualTo(401);
  }

  @Test
  void times_that_no_clock_has_are_refused() {
    for (String time : List.of("+1000000000-12-31T23:59:59Z", "-1000000000-01-01T00:00:00Z")) {
      String body = "{\"before\":\"" + time + "\"}";

      assertThat(served.post(served.admin, "/v1/audit/trim", body).status()).isEqualTo(400);
    }
  }

  @Test
  void a_closed_engine_is_unavailable_and_nothing_of_the_inside_is_shown() {
    served.engine.close();

    Answer read = served.get(served.viewer, "/v1/cases/order-1");
    Answer change = served.post(served.operator, "/v1/cases/order-1/cancel", "{}");

    assertThat(read.status()).as(read.text()).isEqualTo(503);
    assertThat(change.status()).as(change.text()).isEqualTo(503);
    assertThat(read.text() + change.text()).doesNotContain("dev.damask", "Exception");
  }

  @Test
  void clients_that_race_for_one_case_leave_it_consistent() throws Exception {
    List<Future<Integer>> answers = new ArrayList<>();
    CountDownLatch go = new CountDownLatch(1);
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 64; i++) {
        String path = "/v1/cases/order-2/" + List.of("cancel", "complete", "signal").get(i % 3);
        String body = List.of("{}", "{\"task\":\"ship\"}", "{\"place\":\"approved\"}").get(i % 3);
        answers.add(
            clients.submit(() -> {
              go.await();
              return served.post(served.operator, path, body).status();
            }));
      }
      go.countDown();
    }
    List<Integer> statuses = new ArrayList<>();
    for (Future<Integer> each : answers) {
      statuses.add(each.get());
    }

    assertThat(statuses).allMatch(each -> each == 200 || each == 409);
    assertThat(served.engine.status("order-2").status()).isEqualTo(CaseStatus.CANCELLED);
    assertThat(served.engine.receipts("order-2").stream().map(each -> each.number()))
        .doesNotHaveDuplicates();
    assertThat(served.engine.verify()).isEmpty();
  }
}
