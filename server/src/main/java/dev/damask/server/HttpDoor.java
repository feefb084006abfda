package dev.damask.server;

import dev.damask.api.ApiReply;
import dev.damask.api.Authenticator;
import dev.damask.api.Exchange;
import dev.damask.api.Sender;
import dev.damask.door.ApiDoor;
import dev.damask.door.DoorReply;
import io.helidon.http.Header;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// Passes requests of the HTTP server to the door of the engine.
final class HttpDoor {
  private final ApiDoor door;
  private final Authenticator tokens;
  private final HostRules rules;
  private final Duration bodyMost;

  /// @param bodyMost how long a body may take
  HttpDoor(ApiDoor door, Authenticator tokens, HostRules rules, Duration bodyMost) {
    this.door = door;
    this.tokens = tokens;
    this.rules = rules;
    this.bodyMost = bodyMost;
  }

  void handle(ServerRequest request, ServerResponse response) {
    ConnectionTimes times = ConnectionTimes.current();
    times.works();
    try {
      answer(request, response, times);
    } finally {
      times.waits(); // for the next request
    }
  }

  private void answer(ServerRequest request, ServerResponse response, ConnectionTimes times) {
    Map<String, String> headers = headers(request);
    Exchange exchange =
        new Exchange(
            request.prologue().method().text(),
            request.prologue().uriPath().rawPath(),
            request.prologue().query().rawValue(),
            headers,
            () ->
                request.content().hasEntity()
                    ? new TimedBody(request.content().inputStream(), times, bodyMost)
                    : new ByteArrayInputStream(new byte[0]),
            Sender.bearer(tokens, headers));
    DoorReply reply = door.answer(exchange, each -> rules.require(each.headers()));
    reply.headers().forEach((name, value) -> response.header(name, value));
    response.status(reply.status());
    if (reply.stream() != null) {
      stream(response, reply.stream(), times);
      return;
    }
    times.waits(); // until the client has read it
    if (reply.bytes().length == 0) {
      response.send();
    } else {
      response.send(reply.bytes());
    }
    if (reply.headers().keySet().stream().anyMatch("connection"::equalsIgnoreCase)) {
      // The header alone does not keep the HTTP server from reading what follows as a request.
      throw new CloseConnectionException("the rest of the connection cannot be understood");
    }
  }

  private static Map<String, String> headers(ServerRequest request) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put(Exchange.ADDRESS, request.remotePeer().host());
    for (Header each : request.headers()) {
      all.merge(
          each.name().toLowerCase(Locale.ROOT),
          String.join(",", each.allValues()),
          (a, b) -> a + "," + b);
    }
    return all;
  }

  private static void stream(
      ServerResponse response, ApiReply.Writer writer, ConnectionTimes times) {
    try (OutputStream out = new TimedStream(response.outputStream(), times)) {
      writer.write(out);
    } catch (IOException | UncheckedIOException e) {
      System.getLogger(HttpDoor.class.getName())
          .log(System.Logger.Level.DEBUG, "a client of a stream has gone", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
