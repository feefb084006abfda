package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.api.Audit;
import dev.damask.api.Caller;
import dev.damask.api.Role;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What is refused is logged, at a limited rate, and what was done is done if the log fails.
@Timeout(60)
final class RefusalsTest {
  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
  }

  @AfterEach
  void close() {
    served.close();
  }

  private List<String> outcomes() {
    return served.audit.stream()
        .map(each -> each.caller() + " " + each.action() + " " + each.outcome())
        .toList();
  }

  @Test
  void requests_of_other_sites_and_hosts_are_logged() {
    var _ =
        served.send(
            served.request(served.admin, "/v1/me").header("Origin", "http://evil.example").build());

    assertThat(outcomes()).containsExactly(" GET /v1/me 403 wrong-origin");
  }

  @Test
  void reads_of_cases_that_the_token_may_not_see_are_logged() {
    served.get(served.limited, "/v1/cases/covert-1");
    served.get(served.admin, "/v1/cases/missing");

    assertThat(outcomes()).containsExactly("lena GET /v1/cases/{case} 404 not-found");
  }

  @Test
  void requests_beyond_the_rate_are_logged() {
    try (ServedEngine slow = ServedEngine.limitedTo(2)) {
      for (int i = 0; i < 10; i++) {
        slow.get(slow.viewer, "/v1/me");
      }

      assertThat(slow.audit).anyMatch(each -> each.outcome().equals("429 too-many"));
    }
  }

  @Test
  void a_trace_that_may_contain_redacted_values_is_logged_when_it_is_shown() {
    served.get(served.viewer, "/v1/cases/order-1/trace");
    served.get(served.viewer, "/v1/cases/order-1/summary");
    assertThat(outcomes()).isEmpty();

    served.get(served.operator, "/v1/cases/order-1/trace");

    assertThat(outcomes()).containsExactly("otto GET /v1/cases/{case}/trace 200");
  }

  @Test
  void a_log_that_cannot_be_written_does_not_turn_a_done_change_into_an_error() throws Exception {
    Tokens tokens = new Tokens(Clock.systemUTC());
    String admin = tokens.issue(Caller.of("anna", Role.ADMIN));
    ServerOptions options =
        ServerOptions.defaults()
            .withPort(0)
            .withTokens(tokens)
            .withAudit(_ -> {
              throw new UncheckedIOException(new IOException("no space left"));
            });
    try (DamaskServer server = DamaskServer.start(served.engine, options);
        HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest.Builder cancel =
          HttpRequest.newBuilder(server.url().resolve("/v1/cases/order-2/cancel"))
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString("{}"));

      int refused =
          client.send(cancel.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
      int done =
          client
              .send(
                  cancel.header("Authorization", "Bearer " + admin).build(),
                  HttpResponse.BodyHandlers.discarding())
              .statusCode();

      assertThat(refused).isEqualTo(401);
      assertThat(done).isEqualTo(200);
    }
  }

  @Test
  void a_line_that_was_written_in_part_is_ended_before_the_next_one() {
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    boolean[] isFull = {true};
    OutputStream disk =
        new OutputStream() {
          @Override
          public void write(int value) throws IOException {
            throw new IOException("not used");
          }

          @Override
          public void write(byte[] bytes, int offset, int length) throws IOException {
            written.write(bytes, offset, isFull[0] ? 5 : length);
            if (isFull[0]) {
              throw new IOException("no space left");
            }
          }
        };
    try (AuditFile file = new AuditFile(disk)) {
      Audit.Entry entry = new Audit.Entry(Instant.EPOCH, "anna", "GET /", "", "200");
      assertThatThrownBy(() -> file.write(entry)).isInstanceOf(UncheckedIOException.class);

      isFull[0] = false;
      file.write(entry);
    }

    String[] lines = written.toString(StandardCharsets.UTF_8).split("\n", -1);
    assertThat(lines).hasSize(3);
    assertThat(lines[1]).startsWith("{").endsWith("}");
  }

  @Test
  void an_address_that_guesses_tokens_or_codes_is_slowed_down_and_valid_tokens_are_not() {
    try (ServedEngine usual = ServedEngine.limitedTo(1_000)) {
      int slowed = 0;
      for (int i = 0; i < 60; i++) {
        slowed += usual.get("guess-" + i, "/v1/me").status() == 429 ? 1 : 0;
      }

      assertThat(slowed).isGreaterThan(20);
      assertThat(usual.post("", "/v1/session", "{\"code\":\"guess\"}").status()).isEqualTo(429);
      assertThat(usual.get(usual.viewer, "/v1/me").status()).isEqualTo(200);
      assertThat(usual.get("", "/health/live").status()).isEqualTo(200);
    }
  }
}
