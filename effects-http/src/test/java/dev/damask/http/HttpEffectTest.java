package dev.damask.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectNotSent;
import dev.damask.effect.SecretFiller;
import dev.damask.nursery.CancelToken;
import dev.damask.task.Delivery;
import dev.damask.task.Secrets;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Calls of a server in this process.
@Timeout(60)
final class HttpEffectTest {
  private final List<HttpExchange> seen = new CopyOnWriteArrayList<>();
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private final String root;

  HttpEffectTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    root = "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @BeforeEach
  void open() {
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  @AfterEach
  void close() {
    server.stop(0);
  }

  private void serve(String path, int status, Map<String, String> headers, byte[] body) {
    server.createContext(
        path,
        exchange -> {
          seen.add(exchange);
          bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          headers.forEach(exchange.getResponseHeaders()::add);
          exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }

  private void serve(String path, String body) {
    serve(path, 200, Map.of(), body.getBytes(StandardCharsets.UTF_8));
  }

  private HttpOptions options() {
    return HttpOptions.allowing(List.of(root.substring("http://".length())));
  }

  private Context call(Map<String, ?> with) throws Exception {
    return new HttpEffect(options()).call(Calls.of("http", with));
  }

  private EffectException failure(HttpOptions options, Map<String, ?> with) {
    return catchThrowableOfType(
        EffectException.class, () -> new HttpEffect(options).call(Calls.of("http", with)));
  }

  @Test
  void an_answer_has_status_headers_and_body() throws Exception {
    serve(
        "/a",
        200,
        Map.of("X-Mood", "fine", "Content-Type", "text/plain"),
        "hé".getBytes(StandardCharsets.UTF_8));

    Context result = call(Map.of("url", root + "/a?q=1"));

    assertThat(result.get("status")).isEqualTo(200L);
    assertThat(result.get("body")).isEqualTo("hé");
    assertThat((Map<?, ?>) result.get("headers")).extracting("x-mood").isEqualTo("fine");
    assertThat(seen.getFirst().getRequestURI()).hasToString("/a?q=1");
    assertThat(seen.getFirst().getRequestMethod()).isEqualTo("GET");
  }

  @Test
  void a_keyed_call_carries_its_key_and_others_do_not() throws Exception {
    serve("/", "ok");
    HttpEffect http = new HttpEffect(options());

    http.call(Calls.of("http", Map.of("url", root), Delivery.KEYED, "order 42\r\nx: é%"));
    http.call(Calls.of("http", Map.of("url", root), Delivery.READ, "k"));
    http.call(Calls.of("http", Map.of("url", root), Delivery.AT_MOST_ONCE, "k"));

    assertThat(seen)
        .extracting(each -> each.getRequestHeaders().getFirst("Idempotency-Key"))
        .containsExactly("order%2042%0D%0Ax:%20%C3%A9%25", null, null);
  }

  @Test
  void a_busy_server_says_when_the_next_attempt_may_come() {
    serve("/seconds", 429, Map.of("Retry-After", "17"), new byte[0]);
    serve("/far", 503, Map.of("Retry-After", "99999999999"), new byte[0]);
    serve("/past", 503, Map.of("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"), new byte[0]);
    serve("/wrong", 503, Map.of("Retry-After", "soon"), new byte[0]);

    assertThat(after("/seconds")).isEqualTo(17_000);
    assertThat(after("/far")).isEqualTo(Duration.ofDays(1).toMillis());
    assertThat(after("/past")).isZero();
    assertThat(after("/wrong")).isZero();
    assertThat(
            RetryAfter.of("Wed, 21 Oct 2015 07:28:00 GMT", Instant.parse("2015-10-21T07:27:30Z")))
        .contains(Duration.ofSeconds(30));
  }

  @Test
  void a_busy_server_says_so_to_a_call_with_a_secret_too() {
    serve("/busy", 429, Map.of("Retry-After", "17"), new byte[0]);
    Map<String, ?> with =
        Map.of(
            "url",
            root + "/busy",
            "headers",
            Map.of("authorization", "Bearer " + Secrets.marker("TOKEN")));

    EffectException failed =
        catchThrowableOfType(
            EffectException.class,
            () ->
                new SecretFiller(new HttpEffect(options()), _ -> "sesame-73910284")
                    .call(Calls.of("http", with)));

    assertThat(failed.hint().afterMillis()).isEqualTo(17_000);
    assertThat(seen.getFirst().getRequestHeaders().getFirst("Authorization"))
        .isEqualTo("Bearer sesame-73910284");
  }

  private long after(String path) {
    return failure(options(), Map.of("url", root + path)).hint().afterMillis();
  }

  @Test
  void the_tracing_context_of_the_case_is_sent_unless_the_task_has_its_own() throws Exception {
    serve("/", "ok");
    HttpEffect http = new HttpEffect(options());
    String parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    EffectCall.Terms terms =
        new EffectCall.Terms(Optional.empty(), CancelToken.create(), 1, Optional.of(parent));

    http.call(Calls.of("http", Map.of("url", root)).withTerms(terms));
    http.call(Calls.of("http", Map.of("url", root)));
    Map<String, String> own = Map.of("traceparent", "mine");
    http.call(Calls.of("http", Map.of("url", root, "headers", own)).withTerms(terms));

    assertThat(seen)
        .extracting(each -> each.getRequestHeaders().getFirst("Traceparent"))
        .containsExactly(parent, null, "mine");
  }

  @Test
  void a_body_is_sent_as_text_bytes_or_json() throws Exception {
    serve("/", "ok");
    JsonBodies json =
        new JsonBodies() {
          @Override
          public @Nullable Object read(String text) {
            return Map.of("read", text);
          }

          @Override
          public String write(@Nullable Object value) {
            return "json of " + value;
          }
        };
    HttpEffect http = new HttpEffect(options().withJson(json));

    http.call(Calls.of("http", Map.of("method", "POST", "url", root, "body", "text")));
    http.call(Calls.of("http", Map.of("method", "PUT", "url", root, "body", Bytes.of((byte) 65))));
    http.call(Calls.of("http", Map.of("method", "PATCH", "url", root, "body", Map.of("n", 1))));

    assertThat(bodies).containsExactly("text", "A", "json of {n=1}");
    assertThat(seen)
        .extracting(each -> each.getRequestHeaders().getFirst("Content-Type"))
        .containsExactly(
            "text/plain; charset=utf-8", "application/octet-stream", "application/json");
  }

  @Test
  void json_is_read_by_whoever_can_and_stays_a_text_otherwise() throws Exception {
    byte[] body = "{\"n\": 1}".getBytes(StandardCharsets.UTF_8);
    serve("/", 200, Map.of("Content-Type", "application/problem+json; charset=utf-8"), body);

    assertThat(call(Map.of("url", root)).get("body")).isEqualTo("{\"n\": 1}");
  }

  @Test
  void what_is_no_text_comes_as_bytes() throws Exception {
    serve("/", 200, Map.of(), new byte[] {(byte) 0xFF, 0});

    assertThat(call(Map.of("url", root)).get("body")).isEqualTo(Bytes.of((byte) 0xFF, (byte) 0));
  }

  @Test
  void a_status_that_was_not_expected_fails_the_task_and_names_itself() throws Exception {
    serve("/", 404, Map.of(), new byte[0]);

    assertThat(failure(options(), Map.of("url", root)).reason()).isEqualTo("http_404");
    assertThat(call(Map.of("url", root, "expect", List.of(200, 404))).get("status"))
        .isEqualTo(404L);
    assertThat(failure(options(), Map.of("url", root, "expect", List.of(200))).reason())
        .isEqualTo("http_404");
  }

  @Test
  void an_answer_in_chunks_is_put_together() throws Exception {
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write("one ".getBytes(StandardCharsets.UTF_8));
          exchange.getResponseBody().flush();
          exchange.getResponseBody().write("two".getBytes(StandardCharsets.UTF_8));
          exchange.close();
        });

    assertThat(call(Map.of("url", root)).get("body")).isEqualTo("one two");
  }

  @Test
  void a_redirect_is_followed_to_hosts_on_the_list_only() throws Exception {
    serve("/from", 302, Map.of("Location", "/to"), new byte[0]);
    serve("/to", "there");
    serve("/inside", 302, Map.of("Location", "http://169.254.169.254/"), new byte[0]);
    serve("/file", 302, Map.of("Location", "file:///etc/passwd"), new byte[0]);
    serve("/loop", 307, Map.of("Location", "/loop"), new byte[0]);

    assertThat(call(Map.of("url", root + "/from")).get("body")).isEqualTo("there");
    assertThat(failure(options(), Map.of("url", root + "/inside")).reason())
        .isEqualTo(EgressGuard.REFUSED);
    assertThat(failure(options(), Map.of("url", root + "/file")).reason())
        .isEqualTo(EgressGuard.REFUSED);
    assertThat(failure(options(), Map.of("url", root + "/loop")).reason())
        .isEqualTo(HttpEffect.ANSWER);
  }

  @Test
  void headers_of_the_user_are_not_told_to_another_host() throws Exception {
    String port = root.substring(root.lastIndexOf(':'));
    serve("/", 307, Map.of("Location", "http://localhost" + port + "/b"), new byte[0]);
    serve("/b", "there");
    HttpOptions both = HttpOptions.allowing(List.of("127.0.0.1", "localhost"));
    Map<String, Object> with =
        Map.of("method", "POST", "url", root, "headers", Map.of("X-Key", "s3cret"), "body", "b");

    new HttpEffect(both).call(Calls.of("http", with));

    assertThat(seen)
        .extracting(each -> each.getRequestHeaders().getFirst("X-Key"))
        .containsExactly("s3cret", null);
    assertThat(bodies).containsExactly("b", "b");
  }

  /// A name that has the listed address of this machine when it is asked for first, and another
  /// address of this machine from then on.
  private EgressGuard rebinding(AtomicInteger asked) {
    return EgressGuard.allowing(
        List.of("api.example", "127.0.0.1"),
        _ -> {
          String address = asked.incrementAndGet() == 1 ? "127.0.0.1" : "127.0.0.2";
          return new InetAddress[] {InetAddress.ofLiteral(address)};
        });
  }

  @Test
  void the_request_goes_to_the_address_that_was_checked_under_the_name_that_was_asked_for()
      throws Exception {
    serve("/", "ok");
    AtomicInteger asked = new AtomicInteger();
    String port = root.substring(root.lastIndexOf(':'));

    Context result =
        new HttpEffect(options().withGuard(rebinding(asked)))
            .call(Calls.of("http", Map.of("url", "http://api.example" + port + "/")));

    assertThat(result.get("body")).isEqualTo("ok");
    assertThat(asked).hasValue(1);
    assertThat(seen.getFirst().getRequestHeaders().getFirst("Host"))
        .isEqualTo("api.example" + port);
  }

  @Test
  void a_name_that_has_changed_its_address_is_checked_anew_by_a_redirect() {
    serve("/from", 302, Map.of("Location", "/to"), new byte[0]);
    serve("/to", "inside");
    AtomicInteger asked = new AtomicInteger();
    String port = root.substring(root.lastIndexOf(':'));

    EffectException failed =
        failure(
            options().withGuard(rebinding(asked)),
            Map.of("url", "http://api.example" + port + "/from"));

    assertThat(failed.reason()).isEqualTo(EgressGuard.REFUSED);
    assertThat(seen).hasSize(1);
  }

  @Test
  void an_answer_that_is_too_large_is_given_up() throws Exception {
    serve("/", "x".repeat(1_001));
    HttpOptions small = options().withAnswerBytesMax(1_000);

    EffectException failed = failure(small, Map.of("url", root));

    assertThat(failed.reason()).isEqualTo(HttpEffect.ANSWER);
    assertThat(failed).hasMessageContaining("larger than 1000 bytes");
  }

  @Test
  void what_unpacks_to_more_than_the_limit_is_given_up() throws Exception {
    ByteArrayOutputStream bomb = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bomb)) {
      out.write(new byte[50 << 20]);
    }
    serve("/bomb", 200, Map.of("Content-Encoding", "gzip"), bomb.toByteArray());
    ByteArrayOutputStream fine = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(fine)) {
      out.write("fine".getBytes(StandardCharsets.UTF_8));
    }
    serve("/fine", 200, Map.of("Content-Encoding", "gzip"), fine.toByteArray());

    assertThat(failure(options(), Map.of("url", root + "/bomb")))
        .hasMessageContaining("larger than 1048576 bytes");
    assertThat(call(Map.of("url", root + "/fine")).get("body")).isEqualTo("fine");
  }

  @Test
  void an_answer_in_endless_small_chunks_costs_only_its_time() throws Exception {
    byte[] chunks = ("1;" + "x".repeat(200) + "\r\na\r\n").repeat(1_000).getBytes(UTF_8);
    try (ServerSocket flood = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual()
          .start(() -> {
            try (Socket peer = flood.accept()) {
              OutputStream out = peer.getOutputStream();
              out.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".getBytes(UTF_8));
              while (true) {
                out.write(chunks);
              }
            } catch (IOException e) {
              // the client has closed the connection
            }
          });
      String place = "127.0.0.1:" + flood.getLocalPort();
      HttpOptions hasty =
          HttpOptions.allowing(List.of(place))
              .withTime(Duration.ofMillis(200))
              .withAnswerBytesMax(1 << 30);

      EffectException failed = failure(hasty, Map.of("url", "http://" + place + "/"));

      assertThat(failed.reason()).isEqualTo(HttpEffect.TIME);
    }
  }

  @Test
  void an_answer_that_never_comes_costs_only_its_time() throws Exception {
    server.createContext("/", _ -> {});
    HttpOptions hasty = options().withTime(Duration.ofMillis(100));

    EffectException failed = failure(hasty, Map.of("url", root));

    assertThat(failed.reason()).isEqualTo(HttpEffect.TIME);
  }

  @Test
  void an_effect_of_at_most_once_that_may_have_arrived_has_an_unknown_outcome() throws Exception {
    server.createContext("/", HttpExchange::close);
    Map<String, String> with = Map.of("method", "POST", "url", root + "/");
    EffectCall once = Calls.of("http", with, Delivery.AT_MOST_ONCE, "k");

    EffectException failed =
        catchThrowableOfType(EffectException.class, () -> new HttpEffect(options()).call(once));
    server.stop(0);
    EffectNotSent notSent =
        catchThrowableOfType(EffectNotSent.class, () -> new HttpEffect(options()).call(once));

    assertThat(failed.reason()).isEqualTo(HttpEffect.UNKNOWN_OUTCOME);
    assertThat(notSent).hasMessageContaining("127.0.0.1");
  }

  @Test
  void a_payload_that_makes_no_sense_fails_without_a_call_and_without_its_secrets() {
    List<Map<String, Object>> wrong =
        List.of(
            Map.of(),
            Map.of("url", 1),
            Map.of("url", root, "method", "TRACE"),
            Map.of("url", root, "method", "get\r\nx: s3cret"),
            Map.of("url", root, "headers", "s3cret"),
            Map.of("url", root, "headers", Map.of("x", "a\r\ny: s3cret")),
            Map.of("url", root, "headers", Map.of("x", "a\ns3cret")),
            Map.of("url", root, "headers", Map.of("x\r\ny", "s3cret")),
            Map.of("url", root, "headers", Map.of("Host", "s3cret")),
            Map.of("url", root, "headers", Map.of("transfer-encoding", "s3cret")),
            Map.of("url", root, "body", Map.of("k", "s3cret")),
            Map.of("url", root, "expect", "s3cret"),
            Map.of("url", root, "expect", List.of(20)),
            Map.of("url", root, "follow", "s3cret"),
            Map.of("url", root + "/s3cret|"),
            Map.of("url", root + "/" + "s3cret".repeat(2_000)));
    for (Map<String, Object> with : wrong) {
      EffectException failed = failure(options(), with);

      assertThat(failed.reason()).as(with.toString()).isEqualTo("effect");
      assertThat(failed.getMessage()).startsWith("http: ").doesNotContain("s3cret");
    }
    assertThat(seen).isEmpty();
  }
}
