package dev.damask.server;

import dev.damask.api.Audit;
import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.api.Site;
import dev.damask.api.StoredDocuments;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.document.DocumentSource;
import dev.damask.document.LoadedDocument;
import dev.damask.effect.EffectException;
import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonReader;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionOptions;
import dev.damask.session.SessionStart;
import dev.damask.session.Sessions;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.rocksdb.RocksStoreProvider;
import dev.damask.term.Schedule;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// A real engine with cases of two workflows, a server on it, and a client.
final class ServedEngine implements AutoCloseable {
  /// Waits for the task `ship`, then for the signal `approved`.
  static final String ORDER =
      """
      workflow: order
      attributes:
        customer: customer
      redact: [card]
      places:
        approved: { external: true }
      do:
        - task: ship
        - defer:
            - take: approved
              do:
                - task: thank
      """;

  /// A workflow that limited tokens must not see.
  static final String HIDDEN =
      """
      workflow: covertplan
      do:
        - task: spywork
      """;

  /// Its task becomes an incident at once.
  static final String BROKEN =
      """
      workflow: kaputt
      do:
        - task: kaboom
          retry: { max: 1 }
          onExhausted: park
      """;

  final Sessions sessions;
  final Engine engine;
  final DamaskServer server;
  final Tokens tokens;
  final List<Audit.Entry> audit = new CopyOnWriteArrayList<>();
  final AnswerCheck answers;
  private final HttpClient client = HttpClient.newHttpClient();

  final String admin;
  final String operator;
  final String viewer;
  final String worker;
  final String limited;

  private ServedEngine(Store store, double perSecond, @Nullable Path backups) {
    this.sessions =
        Sessions.open(
            SessionOptions.defaults()
                .withEngine(
                    EngineOptions.defaults()
                        .withShards(2)
                        .withSecrets(name -> "secret-of-" + name)
                        .withSources(new StoredDocuments(store, null))
                        .withHandler(
                            "kaboom",
                            _ -> {
                              throw new EffectException("broken", "it always is");
                            })),
            store);
    this.engine = sessions.engine();
    for (String each : List.of(ORDER, HIDDEN, BROKEN)) {
      register(each);
    }
    this.tokens = new Tokens(java.time.Clock.systemUTC());
    this.answers = new AnswerCheck(engine, tokens);
    this.admin = tokens.issue(Caller.of("anna", Role.ADMIN));
    this.operator = tokens.issue(Caller.of("otto", Role.OPERATOR));
    this.viewer = tokens.issue(Caller.of("vera", Role.VIEWER));
    this.worker = tokens.issue(Caller.of("wim", Role.WORKER));
    this.limited =
        tokens.issue(
            new Caller("lena", Role.ADMIN, List.of("ord*"), Caller.ALL, false, Optional.empty()));
    ServerOptions options =
        ServerOptions.defaults()
            .withPort(0)
            .withTokens(tokens)
            .withLimits(new ServerOptions.Limits(perSecond, 1_000, 1_000))
            .withAudit(audit::add);
    Site site = Site.of("test").withSessions(sessions);
    this.server =
        DamaskServer.start(engine, options, backups == null ? site : site.withBackups(backups));
    seed();
  }

  static ServedEngine inMemory() {
    return new ServedEngine(new MemoryStore(), 0, null);
  }

  static ServedEngine limitedTo(double perSecond) {
    return new ServedEngine(new MemoryStore(), perSecond, null);
  }

  /// On a store that has been served before.
  static ServedEngine on(Store store) {
    return new ServedEngine(store, 0, null);
  }

  /// On RocksDB.
  static ServedEngine on(Path folder, Path backups) {
    return new ServedEngine(new RocksStoreProvider().open(folder), 0, backups);
  }

  /// Starts a session that waits, and returns its id.
  Object startSession() throws InterruptedException {
    sessions
        .registry()
        .putRule(
            "eve", "arm", "{\"payload\": {}, \"onValid\": {\"payload\": {}, \"waitSec\": 600}}");
    sessions.registry().putRule("eve", "doc", "{\"payload\": {}}");
    sessions
        .registry()
        .putGraph(
            "eve",
            "{\"id\": \"g\", \"structure\": {\"Arm\": {\"rule\": \"arm\", \"onValid\":"
                + " {\"spawns\": [\"Doc\"]}}, \"Doc\": {\"rule\": \"doc\"}}}");
    SessionKey key = sessions.start(SessionStart.of("eve", "g", "Arm", Map.of()));
    var _ = sessions.settled(key, Duration.ofSeconds(20)).orElseThrow();
    Object id = get(admin, "/v1/sessions").at("items.0.id");
    return id == null ? "" : id;
  }

  void register(String text) {
    LoadedDocument loaded =
        LoadedDocument.load(
            DocumentSource.parse("test", Bytes.of(text.getBytes(StandardCharsets.UTF_8))));
    engine.register(loaded.workflow(), loaded.program(), loaded.bytes());
  }

  private void seed() {
    for (int i = 1; i <= 6; i++) {
      start("order", "order-" + i, Context.of("customer", "acme", "card", "4711"));
    }
    start("covertplan", "covert-1", Context.empty());
    start("kaputt", "kaputt-1", Context.empty());
    engine
        .schedules()
        .put(
            "nightly",
            Schedule.every(Duration.ofDays(1)),
            engine.workflow("order").orElseThrow(),
            Context.empty());
    engine
        .schedules()
        .put(
            "covert-nightly",
            Schedule.every(Duration.ofDays(1)),
            engine.workflow("covertplan").orElseThrow(),
            Context.empty());
    engine.completeTask("order-1", "ship", Map.of("parcel", 7));
  }

  void start(String workflow, String id, Context input) {
    var _ = engine.start(engine.workflow(workflow).orElseThrow(), id, input);
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  /// A request with a token; empty for none.
  HttpRequest.Builder request(String token, String path) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(20));
    return token.isEmpty() ? builder : builder.header("Authorization", "Bearer " + token);
  }

  Answer send(HttpRequest request) {
    try {
      HttpResponse<String> response =
          client.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      checked(request, response);
      return new Answer(response);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /// Every answer that any test gets must be as the OpenAPI document describes it.
  private void checked(HttpRequest request, HttpResponse<String> response) {
    answers.check(
        request.method(),
        request.uri().getRawPath(),
        response.statusCode(),
        response.headers().firstValue("Content-Type").orElse(""),
        response.body());
  }

  Answer get(String token, String path) {
    return send(request(token, path).build());
  }

  Answer post(String token, String path, String body, String... headers) {
    return send("POST", token, path, body, headers);
  }

  Answer send(String method, String token, String path, String body, String... headers) {
    HttpRequest.Builder builder =
        request(token, path)
            .method(
                method,
                body.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    builder.header("Content-Type", body.startsWith("{") ? "application/json" : "text/yaml");
    if (headers.length > 0) {
      builder.headers(headers);
    }
    return send(builder.build());
  }

  /// An answer of the server.
  record Answer(HttpResponse<String> response) {
    int status() {
      return response.statusCode();
    }

    String text() {
      return response.body();
    }

    String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }

    /// A value of the JSON body by a path such as `items.0.id`; null if it is missing or null.
    @Nullable Object at(String path) {
      Object value = new JsonReader(JsonLimits.DEFAULT).read(text()).plain(Json.Numeral::number);
      for (String key : path.isEmpty() ? new String[0] : path.split("\\.", -1)) {
        value =
            value instanceof Map<?, ?> map
                ? map.get(key)
                : value instanceof List<?> list && Integer.parseInt(key) < list.size()
                    ? list.get(Integer.parseInt(key))
                    : null;
      }
      return value;
    }
  }

  @Override
  public void close() {
    client.close();
    server.close();
    sessions.close();
  }
}
