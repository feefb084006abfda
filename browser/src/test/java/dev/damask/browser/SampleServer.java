package dev.damask.browser;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.api.Site;
import dev.damask.api.StoredDocuments;
import dev.damask.caller.SignalOptions;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cluster.ClusterProvider;
import dev.damask.document.DocumentSource;
import dev.damask.document.LoadedDocument;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.server.DamaskServer;
import dev.damask.server.ServerOptions;
import dev.damask.server.Tokens;
import dev.damask.session.SessionOptions;
import dev.damask.session.SessionStart;
import dev.damask.session.Sessions;
import dev.damask.store.MemoryStore;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.openqa.selenium.support.ui.FluentWait;

/// A server on an engine in memory, with cases in many states.
final class SampleServer implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /// A cluster as a node of it would see it: one node is fenced, and its slots have no owner.
  private static final List<ClusterProvider.NodeView> NODES =
      List.of(
          new ClusterProvider.NodeView(1, 12, 1_402, 1_410, 0, false, "node-a"),
          new ClusterProvider.NodeView(2, 9, 1_421, 1_398, 18, false, "node-b"),
          new ClusterProvider.NodeView(3, 14, 866, 1_264, 0, true, "node-c"));

  private volatile List<ClusterProvider.NodeView> nodes = NODES;
  private final Meddler meddler = new Meddler();
  private final Sessions sessions;
  private final Engine engine;
  private final DamaskServer server;
  private final Tokens tokens = new Tokens(Clock.systemUTC());
  private final HttpClient client = HttpClient.newHttpClient();
  private final String admin = tokens.issue(Caller.of("ada", Role.ADMIN));

  SampleServer() {
    MemoryStore store = new MemoryStore();
    EngineOptions options =
        EngineOptions.defaults()
            .withShards(1)
            .withSources(new StoredDocuments(store, null))
            .withHandlers(handlers())
            .withWatch(meddler);
    this.sessions = Sessions.open(SessionOptions.defaults().withEngine(options), store);
    this.engine = sessions.engine();
    this.server =
        DamaskServer.start(
            engine,
            ServerOptions.defaults().withPort(0).withTokens(tokens),
            Site.of("test").withSessions(sessions).withNodes(() -> nodes));
    for (String name : new String[] {"order-1", "order-2", "import", "claim"}) {
      register(name);
    }
  }

  private static Map<String, EffectHandler> handlers() {
    return Map.of(
        "charge", SampleServer::charge,
        "reserve", call -> Map.of("shelf", "B4"),
        "release", call -> Map.of(),
        "refund", call -> Map.of(),
        "parse", call -> Map.of("rows", 0),
        "report", call -> Map.of(),
        "register", call -> Map.of("number", 7719),
        "quote north", call -> Map.of("north", 900),
        "quote south", call -> Map.of("south", 850),
        "pay", SampleServer::pay);
  }

  private static Object charge(EffectCall call) throws EffectException {
    if (call.attempt() == 1 && call.caseId().startsWith("ord-204")) {
      throw new EffectException("unavailable", "503 from payments");
    }
    return Map.of("payment", "p-17");
  }

  private static Object pay(EffectCall call) throws EffectException {
    throw new EffectException("conflict", "settlement of " + call.caseId() + " is open");
  }

  private void register(String name) {
    LoadedDocument document =
        LoadedDocument.load(DocumentSource.parse(name + ".yaml", Bytes.of(resource(name))));
    engine.register(document.workflow(), document.program(), document.bytes());
  }

  static byte[] resource(String name) {
    try (InputStream in = SampleServer.class.getResourceAsStream(name + ".yaml")) {
      return java.util.Objects.requireNonNull(in, name).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Starts the cases of the screenshots.
  void fill() {
    sessions.registry().putRule("ada", "ask", "{\"payload\": {}, \"onValid\": {\"waitSec\": 600}}");
    sessions.registry().putRule("ada", "got", "{\"payload\": {}}");
    sessions
        .registry()
        .putGraph(
            "ada",
            "{\"id\": \"weather\", \"structure\": {\"Ask\": {\"rule\": \"ask\", \"onValid\":"
                + " {\"spawns\": [\"North\", \"South\"]}}, \"North\": {\"rule\": \"got\"},"
                + " \"South\": {\"rule\": \"got\"}}}");
    sessions.start(SessionStart.of("ada", "weather", "Ask", Map.of()));
    for (int i = 0; i < 6; i++) {
      start(
          "order",
          "ord-2050" + i,
          "{\"amount\":%d,\"customer\":\"c-%04d\"}".formatted(64 + i * 111, i * 37));
    }
    start("order", "ord-20417", "{\"amount\":120,\"customer\":\"c-8812\"}");
    start("order", "ord-20402", "{\"amount\":1204,\"customer\":\"c-9917\"}");
    start("order", "ord-20388", "{\"amount\":45,\"customer\":\"c-3301\"}");
    start("order", "ord-20376", "{\"amount\":19,\"customer\":\"c-2204\"}");
    start("import", "imp-0042", "{}");
    start("claim", "clm-7719", "{}");
    start("claim", "clm-7702", "{}");
    waits("ord-20417", "approved");
    waits("ord-20402", "approved");
    waits("ord-20388", "approved");
    waits("ord-20376", "approved");
    await("imp-0042", "DEADLOCKED");
    waits("clm-7702", "documents");
    post("cases/ord-20388/signal", "{\"place\":\"rejected\",\"payload\":{\"by\":\"eve\"}}");
    post("cases/ord-20376/cancel", "{\"reason\":\"ordered twice\"}");
    post("cases/ord-20402/signal", "{\"place\":\"approved\",\"payload\":{\"by\":\"eve\"}}");
    post("cases/clm-7702/signal", "{\"place\":\"documents\",\"payload\":{}}");
    await("clm-7702", "approve by hand");
    post("cases/clm-7702/complete", "{\"task\":\"approve by hand\",\"result\":{}}");
    await("clm-7702", "\"incident\": true");
    await("ord-20388", "FAILED");
  }

  /// Puts schedules, and orders of an old version, for the screenshots.
  void schedules() {
    send(
        "schedules/nightly",
        "{\"workflow\":\"claim\",\"cron\":\"0 6 * * *\",\"zone\":\"Europe/Zurich\"}");
    send("schedules/hourly", "{\"workflow\":\"import\",\"every\":\"PT1H\",\"overlap\":\"queue\"}");
    post("schedules/hourly/pause", "{}");
    if (!get("cases?text=old-").contains("old-1")) {
      old("old-1");
      old("old-2");
    }
  }

  /// Starts a case over HTTP.
  void start(String workflow, String id, String input) {
    post(
        "cases", "{\"workflow\":\"%s\",\"id\":\"%s\",\"input\":%s}".formatted(workflow, id, input));
  }

  /// Waits until the answer about a case contains a text.
  void await(String id, String text) {
    String path = "cases/" + URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
    awaitList(path, text);
  }

  /// Waits until an answer contains a text.
  void awaitList(String path, String text) {
    new FluentWait<>(this)
        .withTimeout(PATIENCE)
        .pollingEvery(Duration.ofMillis(20))
        .withMessage(() -> path + " does not contain '" + text + "': " + get(path))
        .until(each -> each.get(path).contains(text));
  }

  /// Waits until a token of a case waits for a signal. The place alone is part of every answer.
  void waits(String id, String place) {
    await(id, "\"waitsFor\": \"" + place);
  }

  /// Starts an order and waits until it asks for a decision.
  void order(String id) {
    start("order", id, "{\"amount\":7,\"customer\":\"c-7\"}");
    waits(id, "approved");
  }

  /// Starts a claim and moves it until `pay` is an incident.
  void incident(String id) {
    start("claim", id, "{}");
    waits(id, "documents");
    post("cases/" + id + "/signal", "{\"place\":\"documents\",\"payload\":{}}");
    await(id, "approve by hand");
    post("cases/" + id + "/complete", "{\"task\":\"approve by hand\",\"result\":{}}");
    await(id, "\"incident\": true");
  }

  /// Breaks the next move of a case and sends it a signal.
  void quarantine(String id) {
    meddler.breakNext(id);
    post("cases/" + id + "/signal", "{\"place\":\"approved\",\"payload\":{}}");
    await(id, "QUARANTINED");
  }

  /// Holds the commits of cases whose id starts with a text; none if it is empty.
  void hold(String prefix) {
    meddler.hold(prefix);
  }

  /// Fences the second node and gives its slots to the first, or puts both back.
  void fence(boolean isFenced) {
    nodes =
        isFenced
            ? List.of(
                new ClusterProvider.NodeView(1, 13, 1_403, 2_808, 0, false, "node-a"),
                new ClusterProvider.NodeView(2, 9, -1, 0, 0, true, "node-b"),
                NODES.getLast())
            : NODES;
  }

  /// Starts a case without a request.
  void begin(String workflow, String id) {
    var _ = engine.start(engine.workflow(workflow).orElseThrow(), id, Context.empty());
  }

  String get(String path) {
    return send(request(path).GET());
  }

  String put(String workflow, String document) {
    String name = URLEncoder.encode(workflow, StandardCharsets.UTF_8).replace("+", "%20");
    return send(
        request("workflows/" + name)
            .header("Content-Type", "text/yaml")
            .PUT(HttpRequest.BodyPublishers.ofString(document)));
  }

  /// Sends many signals, one commit each.
  void signals(String id, String place, int count) {
    for (int i = 0; i < count; i++) {
      engine.signal(id, place, Map.of(), SignalOptions.NONE);
    }
  }

  /// Puts JSON.
  String send(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .PUT(HttpRequest.BodyPublishers.ofString(body)));
  }

  /// Starts an order of the old version, as if it had been started before the new one came.
  void old(String id) {
    register("order-1");
    start("order", id, "{\"amount\":1,\"customer\":\"c-old\"}");
    waits(id, "approved");
    register("order-2");
  }

  /// Migrates a case to the present version of its workflow.
  void migrate(String workflow, String id) {
    String to = engine.current(workflow).orElseThrow().hash().toString();
    post("cases/" + id + "/migrate", "{\"to\":\"" + to + "\"}");
  }

  String post(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(server.url() + "/v1/" + path))
        .header("Authorization", "Bearer " + admin);
  }

  private String send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  URI url() {
    return server.url();
  }

  /// Returns a link with a new one-time code.
  URI link() {
    return server.link();
  }

  /// Creates a token with a role.
  String token(String name, Role role) {
    return tokens.issue(Caller.of(name, role));
  }

  @Override
  public void close() {
    server.close();
    sessions.close();
  }
}
