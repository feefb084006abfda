package dev.damask.door;

import dev.damask.api.ApiReply;
import dev.damask.api.Authenticator;
import dev.damask.api.Desk;
import dev.damask.api.Dispatcher;
import dev.damask.api.Exchange;
import dev.damask.api.Problem;
import dev.damask.api.RateLimit;
import dev.damask.api.Site;
import dev.damask.cases.Engine;
import dev.damask.inspector.InspectorFiles;
import dev.damask.json.JsonWriter;
import dev.damask.routes.Api;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// The API of an engine and its page, without an HTTP server. Every server passes its requests
/// through a door, so the rules of headers, callers, limits, redaction and audit are the same
/// everywhere. It must be closed before its engine.
///
/// All methods may be called by any thread.
public final class ApiDoor implements AutoCloseable {
  private static final byte[] NOTHING = {};

  private final Desk desk;
  private final DoorOptions options;
  private final Dispatcher dispatcher;

  private ApiDoor(Desk desk, DoorOptions options, Dispatcher dispatcher) {
    this.desk = desk;
    this.options = options;
    this.dispatcher = dispatcher;
  }

  /// Opens the door of an engine.
  ///
  /// @param site where the engine runs
  public static ApiDoor open(Engine engine, Site site, DoorOptions options) {
    Desk desk = Desk.open(engine, site.withStreamsMax(options.streams()), options.clock());
    Dispatcher dispatcher =
        new Dispatcher(
            desk,
            Api.table(desk, options.tokens().orElse(Authenticator.NONE)),
            new RateLimit(options.perSecond(), System::nanoTime),
            options.audit());
    return new ApiDoor(desk, options, dispatcher);
  }

  /// Returns the version of the API.
  public static String version() {
    Package own = ApiDoor.class.getPackage();
    String version = own == null ? null : own.getImplementationVersion();
    return version == null ? "development" : version;
  }

  /// Answers a request. Never throws for anything that a request contains.
  ///
  /// @param origin throws [Problem] if the request names another host or comes from the page of
  ///   another site
  public DoorReply answer(Exchange exchange, Consumer<Exchange> origin) {
    try {
      if (!isPlain(exchange)) {
        throw Problem.bad("the path or the name of a header is malformed");
      }
      if (!hasOneLength(exchange.headers())) {
        return ambiguous(exchange);
      }
      origin.accept(exchange);
    } catch (Problem e) {
      dispatcher.refused(exchange, e);
      return problem(e);
    }
    try {
      return isOfApi(exchange.path()) ? ofApi(exchange) : page(exchange);
    } catch (Problem e) {
      return problem(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return problem(new Problem(Problem.Kind.UNAVAILABLE, "the server is closing"));
    }
  }

  /// A client that asks for the headers alone gets those of the answer to `GET`.
  private DoorReply ofApi(Exchange exchange) throws InterruptedException {
    if (!exchange.method().equals("HEAD")) {
      return reply(dispatcher.answer(exchange));
    }
    DoorReply whole = reply(dispatcher.answer(exchange.with("GET")));
    return new DoorReply(whole.status(), whole.headers(), NOTHING, null);
  }

  private static boolean isOfApi(String path) {
    return path.equals("/v1")
        || path.startsWith("/v1/")
        || path.startsWith("/health/")
        || path.equals("/metrics");
  }

  /// A path that does not begin at the root, or a header without a name, is read in another way by
  /// other servers.
  private static boolean isPlain(Exchange exchange) {
    return exchange.path().startsWith("/") && !exchange.headers().containsKey("");
  }

  /// A body with two lengths is where one server sees one request and another one sees two.
  private static boolean hasOneLength(Map<String, String> headers) {
    String length = headers.get("content-length");
    String transfer = headers.get("transfer-encoding");
    return transfer == null
        ? length == null || length.chars().allMatch(c -> c >= '0' && c <= '9')
        : length == null && transfer.equalsIgnoreCase("chunked");
  }

  private DoorReply ambiguous(Exchange exchange) {
    Problem problem = Problem.bad("the length of the body is ambiguous");
    dispatcher.refused(exchange, problem);
    DoorReply refused = problem(problem);
    Map<String, String> headers = new LinkedHashMap<>(refused.headers());
    headers.put("Connection", "close");
    return new DoorReply(refused.status(), headers, refused.bytes(), null);
  }

  private DoorReply page(Exchange exchange) {
    if (!exchange.method().equals("GET") && !exchange.method().equals("HEAD")) {
      throw new Problem(Problem.Kind.WRONG_METHOD, "use GET at this address");
    }
    boolean isPage = exchange.path().equals("/") || exchange.path().equals("/index.html");
    if (options.isOfApplication() && exchange.sender().caller().isEmpty()) {
      throw new Problem(Problem.Kind.UNAUTHORISED, exchange.sender().advice());
    }
    Optional<InspectorFiles.File> found =
        options.isOfApplication() && isPage
            ? Optional.of(InspectorFiles.pageOfSession())
            : InspectorFiles.find(exchange.path().substring(1));
    InspectorFiles.File file = found.orElseThrow(() -> Problem.notFound("page", "this address"));
    Map<String, String> headers = safe(InspectorFiles.POLICY);
    headers.put("Content-Type", file.type());
    return new DoorReply(200, headers, file.bytes(), null);
  }

  private static DoorReply reply(Dispatcher.Answer answer) {
    int status = answer.reply().status();
    Map<String, String> headers = safe("default-src 'none'");
    answer.headers().forEach(headers::put);
    return switch (answer.reply()) {
      case ApiReply.Json(_, var value, _) -> {
        headers.put(
            "Content-Type", status >= 400 ? "application/problem+json" : "application/json");
        yield new DoorReply(
            status, headers, JsonWriter.line(value).getBytes(StandardCharsets.UTF_8), null);
      }
      case ApiReply.Content(_, var type, var bytes) -> {
        headers.put("Content-Type", type);
        headers.put("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
        yield new DoorReply(status, headers, bytes, null);
      }
      case ApiReply.Stream(var type, var writer) -> {
        headers.put("Content-Type", type);
        yield new DoorReply(status, headers, NOTHING, writer);
      }
    };
  }

  /// Returns a problem as the answer to a request that reached no handler.
  public static DoorReply problem(Problem problem) {
    Map<String, String> headers = safe("default-src 'none'");
    headers.put("Content-Type", "application/problem+json");
    return new DoorReply(
        problem.kind().status(),
        headers,
        JsonWriter.line(problem.json()).getBytes(StandardCharsets.UTF_8),
        null);
  }

  /// Headers that every answer has.
  private static Map<String, String> safe(String policy) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Cache-Control", "no-store");
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("Referrer-Policy", "no-referrer");
    headers.put("X-Frame-Options", "DENY");
    headers.put("Cross-Origin-Opener-Policy", "same-origin");
    headers.put("Cross-Origin-Resource-Policy", "same-origin");
    headers.put("Content-Security-Policy", policy);
    return headers;
  }

  /// Ends the streams and jobs.
  @Override
  public void close() {
    desk.close();
  }
}
