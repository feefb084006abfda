package dev.damask.server;

import dev.damask.api.Problem;
import dev.damask.json.JsonWriter;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.DirectHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Answers requests that the HTTP server itself refuses, such as malformed or oversized ones, in
/// the form of all other problems. It repeats nothing of the request.
final class RawRefusals implements DirectHandler {
  private RawRefusals() {}

  /// Returns the handlers of all events.
  static DirectHandlers all() {
    DirectHandlers.Builder all = DirectHandlers.builder();
    for (EventType each : EventType.values()) {
      all.addHandler(each, new RawRefusals());
    }
    return all.build();
  }

  @Override
  public TransportResponse handle(
      TransportRequest request,
      EventType type,
      Status status,
      ServerResponseHeaders headers,
      String message) {
    Problem.Kind kind =
        switch (type) {
          case PAYLOAD_TOO_LARGE -> Problem.Kind.TOO_LARGE;
          case INTERNAL_ERROR -> Problem.Kind.INTERNAL;
          case BAD_REQUEST, FORBIDDEN, HTTP_VERSION_NOT_SUPPORTED, OTHER ->
              Problem.Kind.BAD_REQUEST;
        };
    Map<String, @Nullable Object> body =
        new Problem(kind, "the server refused the request before it was routed").json();
    body.put("status", (long) status.code()); // of a head that is too long, for example
    headers.set(HeaderNames.CONTENT_TYPE, "application/problem+json");
    headers.set(HeaderNames.CACHE_CONTROL, "no-store");
    headers.set(HeaderNames.create("X-Content-Type-Options"), "nosniff");
    return TransportResponse.builder()
        .status(status)
        .headers(headers)
        .entity(JsonWriter.line(body).getBytes(StandardCharsets.UTF_8))
        .build();
  }
}
