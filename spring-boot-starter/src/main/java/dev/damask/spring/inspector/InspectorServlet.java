package dev.damask.spring.inspector;

import dev.damask.api.ApiReply;
import dev.damask.api.Exchange;
import dev.damask.api.Problem;
import dev.damask.api.Sender;
import dev.damask.door.ApiDoor;
import dev.damask.door.DoorReply;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Pattern;

/// Passes requests below the path of the inspector to the door of the engine. It knows no rule of
/// the API; what it adds are the sender and the origins of the application.
public final class InspectorServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;

  /// Containers and firewalls refuse addresses with an encoded slash, percent sign or semicolon,
  /// which names of cases may have. The page writes `~2F` for `%2F` and says so in this header.
  private static final String ESCAPE = "x-damask-escape";

  private static final Pattern ESCAPED = Pattern.compile("~([0-9A-F]{2})");
  private static final String ME = "/v1/me";

  private final transient InspectorDoor door;
  private final transient String path;
  private final transient OriginRules origins;
  private final transient BiFunction<HttpServletRequest, Map<String, String>, Sender> senders;
  private final transient Function<HttpServletRequest, Map<String, String>> greeting;

  /// Creates the servlet.
  ///
  /// @param senders finds out who sends a request, from it and its headers
  /// @param greeting headers for the page's first question
  InspectorServlet(
      InspectorDoor door,
      InspectorProperties properties,
      BiFunction<HttpServletRequest, Map<String, String>, Sender> senders,
      Function<HttpServletRequest, Map<String, String>> greeting) {
    this.door = door;
    this.path = properties.path();
    this.origins = new OriginRules(properties.origins());
    this.senders = senders;
    this.greeting = greeting;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String root = request.getContextPath() + path;
    String uri = request.getRequestURI();
    if (uri.equals(root)) {
      response.setHeader("Cache-Control", "no-store");
      response.setHeader("Location", root + "/");
      response.setStatus(HttpServletResponse.SC_FOUND);
      return;
    }
    if (!uri.startsWith(root + "/")) {
      send(response, ApiDoor.problem(Problem.notFound("page", "this address")));
      return;
    }
    Optional<ApiDoor> open = door.open();
    if (open.isEmpty()) {
      Problem closing = new Problem(Problem.Kind.UNAVAILABLE, "the application is stopping");
      send(response, ApiDoor.problem(closing));
      return;
    }
    Map<String, String> headers = headers(request);
    String below = uri.substring(root.length());
    Exchange exchange =
        new Exchange(
            request.getMethod(),
            headers.containsKey(ESCAPE) ? ESCAPED.matcher(below).replaceAll("%$1") : below,
            Optional.ofNullable(request.getQueryString()).orElse(""),
            headers,
            request::getInputStream,
            senders.apply(request, headers));
    DoorReply reply = open.get().answer(exchange, each -> origins.require(request, each));
    if (below.equals(ME) && reply.status() == HttpServletResponse.SC_OK) {
      greeting.apply(request).forEach(response::setHeader);
    }
    send(response, reply);
  }

  private static Map<String, String> headers(HttpServletRequest request) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put(Exchange.ADDRESS, request.getRemoteAddr());
    for (String name : Collections.list(request.getHeaderNames())) {
      all.put(
          name.toLowerCase(Locale.ROOT),
          String.join(",", Collections.list(request.getHeaders(name))));
    }
    return all;
  }

  private static void send(HttpServletResponse response, DoorReply reply) throws IOException {
    response.setStatus(reply.status());
    reply.headers().forEach(response::setHeader);
    if (reply.stream() == null) {
      response.getOutputStream().write(reply.bytes());
    } else {
      stream(response, reply.stream());
    }
  }

  private static void stream(HttpServletResponse response, ApiReply.Writer writer) {
    try (OutputStream out = response.getOutputStream()) {
      writer.write(out);
    } catch (IOException | UncheckedIOException e) {
      System.getLogger(InspectorServlet.class.getName())
          .log(System.Logger.Level.DEBUG, "a client of a stream has gone", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
