package dev.damask.http;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.Payload;
import dev.damask.task.Delivery;
import dev.damask.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A request that is ready to be sent.
///
/// @param headers the fields by name in lower case, both the user's and those of the body
/// @param expected the statuses that are a success; empty for 200 to 299
@SuppressWarnings("ArrayRecordComponent") // requests are never compared
record HttpRequest(
    String method,
    HttpTarget target,
    Map<String, String> headers,
    byte[] body,
    List<Integer> expected) {
  private static final Set<String> METHODS = Set.of("GET", "POST", "PUT", "PATCH", "DELETE");

  /// Fields that only this class sets, because they determine the length and the target of a
  /// request.
  private static final Set<String> OURS =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "host",
          "keep-alive",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private static final int HEADERS_MAX = 100;
  private static final int HEADER_LENGTH_MAX = 8_192;
  private static final String CONTENT_TYPE = "content-type";

  static HttpRequest of(EffectCall call, JsonBodies json) throws EffectException {
    Payload payload = new Payload("http", call.with());
    payload.requireOnly("method", "url", "headers", "body", "expect");
    String method = payload.text("method", "GET");
    if (!METHODS.contains(method)) {
      throw payload.problem("'method' must be GET, POST, PUT, PATCH or DELETE");
    }
    String url = payload.text("url", "");
    if (url.isEmpty()) {
      throw payload.problem("'url' is missing");
    }
    Map<String, String> headers = headers(payload);
    byte[] body = body(payload, headers, json);
    if (call.delivery() == Delivery.KEYED) {
      headers.putIfAbsent("idempotency-key", printable(call.key()));
    }
    call.traceparent().ifPresent(parent -> headers.putIfAbsent("traceparent", parent));
    return new HttpRequest(method, HttpTarget.parse(url), headers, body, expected(payload));
  }

  private static Map<String, String> headers(Payload payload) throws EffectException {
    Map<String, String> headers = new TreeMap<>();
    Object given = payload.with().get("headers");
    if (given == null) {
      return headers;
    }
    if (!(given instanceof Map<?, ?> entries) || entries.size() > HEADERS_MAX) {
      throw payload.problem("'headers' must be a map of at most " + HEADERS_MAX + " strings");
    }
    for (Map.Entry<?, ?> entry : entries.entrySet()) {
      String name = String.valueOf(entry.getKey()).toLowerCase(Locale.ROOT);
      if (!name.matches("[a-z0-9!#$%&'*+.^_`|~-]{1,100}")) {
        throw payload.problem("the name of a header must consist of letters, digits and '-'");
      }
      if (OURS.contains(name) || name.startsWith("proxy-")) {
        throw payload.problem("the header '" + name + "' is set by the engine; remove it");
      }
      Object value = entry.getValue();
      boolean isPlain = value instanceof String || value instanceof Number;
      if (!isPlain || !isHeaderValue(value.toString())) {
        throw payload.problem(
            "the header '" + name + "' must be one line of printable ASCII or Latin-1 characters");
      }
      headers.put(name, value.toString().strip());
    }
    return headers;
  }

  private static boolean isHeaderValue(String text) {
    return text.length() <= HEADER_LENGTH_MAX
        && text.chars().allMatch(c -> c == '\t' || (c >= ' ' && c < 0x7F) || (c > 0x9F && c < 256));
  }

  private static byte[] body(Payload payload, Map<String, String> headers, JsonBodies json)
      throws EffectException {
    Object body = payload.with().get("body");
    return switch (body) {
      case null -> new byte[0];
      case String text -> {
        headers.putIfAbsent(CONTENT_TYPE, "text/plain; charset=utf-8");
        yield text.getBytes(StandardCharsets.UTF_8);
      }
      case Bytes bytes -> {
        headers.putIfAbsent(CONTENT_TYPE, "application/octet-stream");
        yield bytes.toArray();
      }
      default -> {
        headers.putIfAbsent(CONTENT_TYPE, "application/json");
        yield json(payload, body, json).getBytes(StandardCharsets.UTF_8);
      }
    };
  }

  private static String json(Payload payload, @Nullable Object body, JsonBodies json)
      throws EffectException {
    try {
      return json.write(body);
    } catch (IllegalArgumentException e) {
      throw payload.problem(String.valueOf(e.getMessage()));
    }
  }

  private static List<Integer> expected(Payload payload) throws EffectException {
    Object expect = payload.with().get("expect");
    if (expect == null) {
      return List.of();
    }
    List<Integer> expected = new ArrayList<>();
    for (Object each : expect instanceof List<?> list ? list : List.of(expect)) {
      if (!(each instanceof Long status) || status < 100 || status > 999) {
        throw payload.problem("'expect' must be a list of statuses such as [200, 404]");
      }
      expected.add(status.intValue());
    }
    return List.copyOf(expected);
  }

  /// Returns an idempotency key in a form that a header can carry. Different keys have different
  /// forms.
  private static String printable(String key) {
    StringBuilder text = new StringBuilder();
    for (byte octet : key.getBytes(StandardCharsets.UTF_8)) {
      if (octet > ' ' && octet < 0x7F && octet != '%') {
        text.append((char) octet);
      } else {
        text.append("%%%02X".formatted(octet & 0xFF));
      }
    }
    return text.toString();
  }

  boolean isExpected(int status) {
    return expected.isEmpty() ? status >= 200 && status < 300 : expected.contains(status);
  }

  /// Returns the request that follows a redirect. The user's header fields are not sent to another
  /// host.
  HttpRequest redirected(int status, HttpTarget next) {
    boolean isSameHost = target.isSameOrigin(next);
    boolean asGet = status == 303 || (status <= 302 && method.equals("POST"));
    Map<String, String> kept = new TreeMap<>(isSameHost ? headers : Map.of());
    String type = headers.get(CONTENT_TYPE);
    if (asGet) {
      kept.remove(CONTENT_TYPE);
    } else if (type != null) {
      kept.put(CONTENT_TYPE, type);
    }
    return new HttpRequest(
        asGet ? "GET" : method, next, kept, asGet ? new byte[0] : body, expected);
  }

  byte[] head() {
    StringBuilder head = new StringBuilder();
    head.append(method).append(' ').append(target.path()).append(" HTTP/1.1\r\n");
    head.append("host: ").append(target.hostHeader()).append("\r\nconnection: close\r\n");
    Map<String, String> all = new TreeMap<>(headers);
    all.putIfAbsent("accept", "*/*");
    all.putIfAbsent("accept-encoding", "identity");
    all.putIfAbsent("user-agent", "damask");
    if (body.length > 0 || !method.equals("GET")) {
      all.put("content-length", Integer.toString(body.length));
    }
    all.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    return head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
  }
}
