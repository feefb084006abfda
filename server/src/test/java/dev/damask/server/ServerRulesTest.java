package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.server.ServedEngine.Answer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ServerRulesTest {
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
  void a_change_with_another_revision_is_refused_and_changes_nothing() {
    String tag = served.get(served.admin, "/v1/cases/order-2").header("ETag");
    Answer stale =
        served.post(served.admin, "/v1/cases/order-2/cancel", "{}", "If-Match", "\"99\"");
    Answer malformed =
        served.post(served.admin, "/v1/cases/order-2/cancel", "{}", "If-Match", "soon");
    Answer fresh = served.post(served.admin, "/v1/cases/order-2/cancel", "{}", "If-Match", tag);

    assertThat(stale.status()).isEqualTo(412);
    assertThat(stale.at("type")).isEqualTo("urn:damask:problem:stale");
    assertThat(malformed.status()).isEqualTo(400);
    assertThat(fresh.status()).isEqualTo(200);
    assertThat(fresh.header("ETag")).isNotEqualTo(tag);
  }

  @Test
  void a_repeated_request_with_its_key_gets_the_first_reply_and_runs_once() {
    String body = "{\"workflow\":\"order\"}";
    Answer first = served.post(served.admin, "/v1/cases", body, "Idempotency-Key", "k1");
    Answer second = served.post(served.admin, "/v1/cases", body, "Idempotency-Key", "k1");
    Answer other =
        served.post(
            served.admin, "/v1/cases", "{\"workflow\":\"kaputt\"}", "Idempotency-Key", "k1");
    Answer ofAnother = served.post(served.operator, "/v1/cases", body, "Idempotency-Key", "k1");

    assertThat(second.at("id")).isEqualTo(first.at("id"));
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.at("type")).isEqualTo("urn:damask:problem:key-reused");
    assertThat(ofAnother.at("id")).isNotEqualTo(first.at("id"));
  }

  @Test
  void the_code_of_the_link_works_once() {
    String link = served.server.link().toString();
    String body = "{\"code\":\"" + link.substring(link.indexOf("#code=") + 6) + "\"}";
    Answer first = served.post("", "/v1/session", body);
    Answer second = served.post("", "/v1/session", body);
    Answer me = served.get(String.valueOf(first.at("token")), "/v1/me");

    assertThat(first.status()).isEqualTo(200);
    assertThat(me.at("role")).isEqualTo("admin");
    assertThat(second.status()).isEqualTo(401);
  }

  @Test
  void other_hosts_and_origins_are_refused() throws IOException {
    for (String host : List.of("evil.example", "127.0.0.1.evil.example", "")) {
      assertThat(raw("GET /health/live HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
          .doesNotContain(" 200 ");
    }
    for (String origin : List.of("null", "http://evil.example", "http://127.0.0.1:1")) {
      Answer answer =
          served.send(served.request(served.admin, "/v1/me").header("Origin", origin).build());
      assertThat(answer.status()).as(origin).isEqualTo(403);
    }
    String own = "http://127.0.0.1:" + served.server.port();
    Answer same = served.send(served.request(served.admin, "/v1/me").header("Origin", own).build());
    assertThat(same.status()).isEqualTo(200);
    assertThat(same.header("Access-Control-Allow-Origin")).isEmpty();
  }

  @Test
  void split_and_smuggled_requests_are_refused() throws IOException {
    String host = "Host: 127.0.0.1\r\n";
    String smuggled =
        raw(
            "POST /v1/session HTTP/1.1\r\n"
                + host
                + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                + "GET /health/live HTTP/1.1\r\n"
                + host
                + "\r\n");
    String bad = raw("GET /health/live HTTP/1.1\r\n" + host + "X\u0000Y: 1\r\n\r\n");
    String huge =
        raw("GET /health/live HTTP/1.1\r\n" + host + "X: " + "a".repeat(40_000) + "\r\n\r\n");

    assertThat(smuggled).doesNotContain("\"up\"");
    assertThat(bad).doesNotContain(" 200 ");
    assertThat(huge).doesNotContain(" 200 ");
  }

  /// What the server sends back to bytes.
  private String raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.server.port())) {
      socket.setSoTimeout(2_000);
      OutputStream out = socket.getOutputStream();
      out.write(request.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
      socket.shutdownOutput();
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (java.net.SocketException | java.net.SocketTimeoutException e) {
      return "";
    }
  }

  @Test
  void redacted_values_reach_no_view_of_a_viewer_and_unredacted_reads_are_logged() {
    List<String> views =
        List.of(
            "",
            "/at/1",
            "/states?from=1&to=2",
            "/diff?from=1&to=2",
            "/trace",
            "/receipts",
            "/scenario",
            "/positions",
            "/family",
            "/drawing");
    for (String view : views) {
      Answer answer = served.get(served.viewer, "/v1/cases/order-1" + view);

      assertThat(answer.status()).as(view).isEqualTo(200);
      assertThat(answer.text()).as(view).doesNotContain("4711");
    }
    assertThat(served.get(served.viewer, "/v1/cases?text=4711").text()).doesNotContain("order-1");
    assertThat(served.get(served.viewer, "/v1/cases/order-1").text()).contains("acme");

    served.audit.clear();
    Answer shown = served.get(served.operator, "/v1/cases/order-1");

    assertThat(shown.text()).contains("4711");
    assertThat(served.audit)
        .anyMatch(each -> each.caller().equals("otto") && each.subject().equals("order-1"));
  }

  @Test
  void a_document_is_refused_for_an_operator_and_with_its_findings_for_an_admin() {
    String wrong = "workflow: order\ndo:\n  - par:\n      - take: never\n      - task: b\n";
    String sound = "workflow: order\ndo:\n  - task: ship\n";

    assertThat(served.send("PUT", served.operator, "/v1/workflows/order", sound).status())
        .isEqualTo(403);
    Answer unsound = served.send("PUT", served.admin, "/v1/workflows/order", wrong);
    Answer broken = served.send("PUT", served.admin, "/v1/workflows/order", "workflow: [");
    Answer other = served.send("PUT", served.admin, "/v1/workflows/other", sound);
    Answer put = served.send("PUT", served.admin, "/v1/workflows/order", sound);

    assertThat(unsound.status()).isEqualTo(422);
    assertThat(unsound.at("findings.0.line")).isNotNull();
    assertThat(broken.status()).isEqualTo(422);
    assertThat(broken.at("verdict")).isEqualTo("INVALID");
    assertThat(other.status()).isEqualTo(422);
    assertThat(put.status()).as(put.text()).isEqualTo(200);
    assertThat(put.at("verdict")).isEqualTo("SOUND");
    assertThat(served.get(served.admin, "/v1/workflows/order").at("versions.1.cases"))
        .isEqualTo(6L);
  }

  @Test
  void a_fork_shows_what_follows_and_changes_nothing() {
    long before = served.engine.status("order-1").revision();
    Answer fork =
        served.post(
            served.operator,
            "/v1/cases/order-1/fork",
            "{\"inputs\":[{\"kind\":\"signal\",\"place\":\"approved\"},"
                + "{\"kind\":\"complete\",\"task\":\"thank\"}]}");

    assertThat(fork.at("status")).as(fork.text()).isEqualTo("COMPLETED");
    assertThat(served.engine.status("order-1").revision()).isEqualTo(before);
  }

  @Test
  void an_id_that_is_taken_elsewhere_is_a_conflict_that_tells_nothing_more() {
    Answer answer =
        served.post(served.limited, "/v1/cases", "{\"workflow\":\"order\",\"id\":\"covert-1\"}");

    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.text()).doesNotContain("covertplan");
  }

  @Test
  void a_token_that_sends_too_much_is_slowed_down_alone() {
    try (ServedEngine slow = ServedEngine.limitedTo(5)) {
      int refused = 0;
      for (int i = 0; i < 30; i++) {
        refused += slow.get(slow.viewer, "/v1/me").status() == 429 ? 1 : 0;
      }

      assertThat(refused).isGreaterThan(10);
      assertThat(slow.get(slow.admin, "/v1/me").status()).isEqualTo(200);
    }
  }

  @Test
  void every_change_and_every_refusal_is_audited_in_one_line() {
    served.post(served.operator, "/v1/cases/order-3/cancel", "{}");
    served.post(served.viewer, "/v1/cases/order-3/cancel", "{}");
    served.get("wrong", "/v1/cases/a%0Ab");

    assertThat(served.audit.stream().map(each -> each.caller() + " " + each.outcome()))
        .containsSubsequence("otto 200", "vera 403 forbidden", " 401 unauthorised");
  }

  @Test
  void the_decider_is_the_token_and_never_a_field() {
    served.register(
        """
        workflow: asks
        do:
          - task: sign
            effect: { type: approval, with: { approvers: [otto] } }
        """);
    served.start("asks", "asks-1", dev.damask.value.Context.empty());

    String forged = "{\"task\":\"sign\",\"result\":{\"approved\":true,\"by\":\"otto\"}}";
    Answer wrong = served.post(served.admin, "/v1/cases/asks-1/complete", forged);
    Answer right = served.post(served.operator, "/v1/cases/asks-1/complete", forged);

    assertThat(wrong.status()).isEqualTo(409);
    assertThat(right.status()).as(right.text()).isEqualTo(200);
    assertThat(served.get(served.admin, "/v1/cases/asks-1/receipts").text()).contains("otto");
  }

  @Test
  void the_decider_of_an_approval_that_is_an_incident_is_the_token_too() {
    served.register(
        """
        workflow: stale
        do:
          - task: sign
            effect: { type: approval, with: { approvers: [otto] } }
            timeout: 0.001
            onExhausted: park
        """);
    served.start("stale", "stale-1", dev.damask.value.Context.empty());
    Answer incidents = served.get(served.admin, "/v1/incidents?case=stale-1");
    while (incidents.at("items.0.id") == null) {
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
      incidents = served.get(served.admin, "/v1/incidents?case=stale-1");
    }
    String one = "/v1/incidents/" + incidents.at("items.0.id") + "/";
    String forged = "\"result\":{\"approved\":true,\"by\":\"otto\"}}";

    Answer skipped = served.post(served.admin, one + "skip", "{" + forged);
    Answer failed = served.post(served.admin, one + "fail", "{}");
    Answer many =
        served.post(served.admin, "/v1/incidents/skip", "{\"case\":\"stale-1\"," + forged);
    Answer right = served.post(served.operator, one + "skip", "{" + forged);

    assertThat(skipped.status()).as(skipped.text()).isEqualTo(409);
    assertThat(failed.status()).as(failed.text()).isEqualTo(409);
    assertThat(many.at("items.0.id")).as(many.text()).isNull();
    assertThat(right.status()).as(right.text()).isEqualTo(200);
  }

  @Test
  void pages_of_a_limited_token_hold_its_cases_alone_and_are_complete() {
    java.util.Set<Object> seen = new java.util.TreeSet<>();
    String cursor = "";
    do {
      Answer page =
          served.get(
              served.limited, "/v1/cases?limit=2" + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
      for (int i = 0; page.at("items." + i + ".id") != null; i++) {
        assertThat(seen.add(String.valueOf(page.at("items." + i + ".id")))).isTrue();
      }
      assertThat(page.at("counts.WAITING")).isEqualTo(6L);
      cursor = page.at("next") == null ? "" : String.valueOf(page.at("next"));
    } while (!cursor.isEmpty());

    assertThat(seen)
        .containsExactly("order-1", "order-2", "order-3", "order-4", "order-5", "order-6");
  }
}
