package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.store.CaseStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Requests that no well-behaved client sends, byte by byte: two servers must never see different
/// requests in them, and no route may be reached by another spelling of its path.
@Timeout(120)
final class RawRequestsTest {
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})");

  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
  }

  @AfterEach
  void close() {
    served.close();
  }

  /// What the server sends back to bytes; it may close the connection at any time.
  private String raw(String request) throws IOException {
    StringBuilder all = new StringBuilder();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.server.port())) {
      socket.setSoTimeout(3_000);
      OutputStream out = socket.getOutputStream();
      out.write(request.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
      socket.shutdownOutput();
      InputStream in = socket.getInputStream();
      for (int next = in.read(); next >= 0; next = in.read()) {
        all.append((char) next);
      }
    } catch (SocketException | SocketTimeoutException e) {
      return all.toString(); // what came before counts
    }
    return all.toString();
  }

  private static List<String> statuses(String answer) {
    return STATUS.matcher(answer).results().map(each -> each.group(1)).toList();
  }

  private String head(String line, String... headers) {
    StringBuilder all = new StringBuilder(line).append("\r\nHost: 127.0.0.1\r\n");
    all.append("Authorization: Bearer ").append(served.admin).append("\r\n");
    for (String each : headers) {
      all.append(each).append("\r\n");
    }
    return all.append("\r\n").toString();
  }

  /// A request that cancels a case, hidden behind another one.
  private String hidden() {
    return head(
            "POST /v1/cases/order-3/cancel HTTP/1.1",
            "Content-Type: application/json",
            "Content-Length: 2")
        + "{}";
  }

  private void assertNothingHappened(String name, String answer) {
    assertThat(statuses(answer)).as(name).noneMatch(each -> each.startsWith("2"));
    assertThat(served.engine.status("order-3").status()).as(name).isEqualTo(CaseStatus.WAITING);
    assertThat(served.get(served.viewer, "/v1/me").status()).as(name).isEqualTo(200);
  }

  @Test
  void no_second_request_is_found_behind_a_body_of_ambiguous_length() throws IOException {
    String post = "POST /v1/cases/order-1/signal HTTP/1.1";
    String json = "Content-Type: application/json";
    Map<String, String> attacks = new LinkedHashMap<>();
    attacks.put(
        "both", head(post, json, "Content-Length: 3", "Transfer-Encoding: chunked") + "0\r\n\r\n");
    attacks.put(
        "both, other order",
        head(post, json, "Transfer-Encoding: chunked", "Content-Length: 5") + "0\r\n\r\n");
    attacks.put("two lengths", head(post, json, "Content-Length: 0", "Content-Length: 44"));
    attacks.put("one length twice", head(post, json, "Content-Length: 0", "Content-Length: 0"));
    attacks.put("a list of lengths", head(post, json, "Content-Length: 0, 0"));
    for (String each : List.of("+0", "-1", "0x0", "0 0", "")) {
      attacks.put("length '" + each + "'", head(post, json, "Content-Length: " + each));
    }
    for (String each :
        List.of(
            "xchunked",
            "chunked, identity",
            "identity",
            "identity, chunked",
            "chunked, chunked",
            "\"chunked\"",
            "chunked;q=1")) {
      attacks.put("coding " + each, head(post, json, "Transfer-Encoding: " + each) + "0\r\n\r\n");
    }
    attacks.put(
        "two codings",
        head(post, json, "Transfer-Encoding: chunked", "Transfer-Encoding: identity")
            + "0\r\n\r\n");
    attacks.put(
        "space before the colon", head(post, json, "Transfer-Encoding : chunked") + "0\r\n\r\n");
    attacks.put("folded coding", head(post, json, "Transfer-Encoding:\r\n chunked") + "0\r\n\r\n");
    for (String each : List.of("-1", "0x0")) {
      attacks.put(
          "chunk size '" + each + "'",
          head(post, json, "Transfer-Encoding: chunked") + each + "\r\n\r\n");
    }
    for (Map.Entry<String, String> each : attacks.entrySet()) {
      assertNothingHappened(each.getKey(), raw(each.getValue() + hidden()));
    }
  }

  @Test
  void malformed_heads_are_refused() throws IOException {
    String get = "GET /v1/me HTTP/1.1";
    Map<String, String> attacks = new LinkedHashMap<>();
    attacks.put("bare line feeds", head(get).replace("\r\n", "\n"));
    attacks.put("a bare line feed", head(get, "X: a\nY: b"));
    attacks.put("a bare carriage return", head(get, "X: a\rY: b"));
    attacks.put("a folded line", head(get, "X: a\r\n b"));
    attacks.put("a zero byte", head(get, "X: a\u0000b"));
    attacks.put("a zero byte in a name", head(get, "X\u0000: a"));
    attacks.put("a space in a name", head(get, "X Y: a"));
    attacks.put("no colon", head(get, "XY"));
    attacks.put("no name", head(get, ": a"));
    attacks.put("two hosts", head(get, "Host: 127.0.0.1"));
    attacks.put("another host", head(get).replace("Host: 127.0.0.1", "Host: evil.example"));
    attacks.put(
        "a host with a user", head(get).replace("Host: 127.0.0.1", "Host: 127.0.0.1@evil.example"));
    attacks.put("no host", head(get).replace("Host: 127.0.0.1\r\n", ""));
    attacks.put("a long value", head(get, "X: " + "a".repeat(40_000)));
    attacks.put("many headers", head(get, "X: a\r\n".repeat(10_000).strip()));
    attacks.put("a long target", head("GET /v1/me?" + "a".repeat(10_000) + " HTTP/1.1"));
    attacks.put("another version", head("GET /v1/me HTTP/9.9"));
    attacks.put("no version", "GET /v1/me\r\n\r\n");
    attacks.put("three spaces", head("GET  /v1/me  HTTP/1.1"));
    attacks.put("no method", head(" /v1/me HTTP/1.1"));
    attacks.put("another method", head("FROB /v1/me HTTP/1.1"));
    attacks.put("a method of characters", head("G<T /v1/me HTTP/1.1"));
    attacks.put("a tunnel", head("CONNECT 127.0.0.1:80 HTTP/1.1"));
    attacks.put("a trace", head("TRACE /v1/me HTTP/1.1"));
    attacks.put("another server", head("GET http://evil.example/v1/me HTTP/1.1"));
    attacks.put("an upgrade", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    for (Map.Entry<String, String> each : attacks.entrySet()) {
      assertNothingHappened(each.getKey(), raw(each.getValue()));
    }
  }

  @Test
  void a_route_has_one_spelling() throws IOException {
    for (String path :
        List.of(
            "/v1/%2e%2e/v1/me",
            "/v1/../v1/me",
            "/v1/./me",
            "//v1/me",
            "/v1//me",
            "/v1/me/",
            "/V1/me",
            "/v1/me;a=b",
            "/v1/me%00",
            "/v1/%6de%2f",
            "/v1%2fme",
            "/v1/me%20",
            "/%c0%ae%c0%ae/v1/me",
            "/v1/%c0%ae%c0%ae/me",
            "/v1/me%",
            "/v1/me%zz",
            "/v1/m\u00e9",
            "/v1/me\\",
            "v1/me",
            "*")) {
      String answer = raw(head("GET " + path + " HTTP/1.1"));

      assertThat(answer).as(path).doesNotContain("\"anna\"");
      assertNothingHappened(path, answer);
    }
  }

  @Test
  void requests_that_follow_each_other_at_once_are_answered_in_their_order() throws IOException {
    String one = head("GET /v1/me HTTP/1.1");
    String two = head("GET /v1/cases/order-1 HTTP/1.1");
    String three = head("GET /v1/none HTTP/1.1", "Connection: close");

    String answer = raw(one + two + three);

    assertThat(statuses(answer)).containsExactly("200", "200", "404");
    Matcher anna = Pattern.compile("(?s)\"anna\".*\"order-1\".*problem").matcher(answer);
    assertThat(anna.find()).isTrue();
  }

  @Test
  void an_old_client_gets_one_answer() throws IOException {
    String answer = raw(head("GET /v1/me HTTP/1.0") + hidden());

    assertThat(statuses(answer)).hasSize(1);
    assertThat(served.engine.status("order-3").status()).isEqualTo(CaseStatus.WAITING);
  }
}
