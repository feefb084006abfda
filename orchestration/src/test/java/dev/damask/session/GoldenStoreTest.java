package dev.damask.session;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.registry.RegistryEntry;
import dev.damask.session.GoldenCase.Event;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.store.CaseStatus;
import dev.damask.store.StoreProvider;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A store of format 4, with states of version 2, a store of format 5 whose records do not count
/// the bytes of the history, and a store of format 6 open in every later version, and all their
/// cases and sessions run to their end. The files were written once by [#main] and are never
/// written again.
final class GoldenStoreTest {
  private static final String SLOW_RULE =
      """
      {"payload": {}, "onValid": {"payload": {"n": 1}, "waitSec": 60}}
      """;
  private static final String GRAPH =
      """
      "A": {"rule": "arm", "onValid": {"spawns": ["G", "H"], "join": {"joinid": "J",
            "mode": "all", "from": [{"node": "G"}, {"node": "H"}]}}},
      "G": {"rule": "pass"}, "H": {"rule": "pass"}, "J": {"rule": "pass"}
      """;
  private static final SessionKey SESSION = SessionKey.of(Desk.ME, 1);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path folder;

  private static Desk open(Path folder, UnaryOperator<SessionOptions> change) {
    StoreProvider provider = ServiceLoader.load(StoreProvider.class).findFirst().orElseThrow();
    return new Desk(provider.open(folder), change);
  }

  /// Handlers that answer at once, except that those of the writer never do.
  private static UnaryOperator<SessionOptions> handling(boolean answers) {
    return options ->
        options.withEngine(
            options
                .engine()
                .withTrace(TraceLevel.FULL)
                .withHandler(
                    "slow",
                    _ -> {
                      if (!answers) {
                        new CountDownLatch(1).await();
                      }
                      return Map.of("slow", "answered");
                    }));
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 6})
  void a_golden_store_opens_and_every_case_in_it_runs_to_its_end(int format) throws Exception {
    unzip(store(format), folder);

    try (Desk desk = open(folder, handling(true))) {
      Engine engine = desk.sessions.engine();
      assertThat(engine.verify()).isEmpty();
      for (GoldenCase each : GoldenCase.all()) {
        engine.register(each.flow());
      }
      for (GoldenCase each : GoldenCase.all()) {
        assertThat(engine.trace(each.id())).as(each.id()).isNotEmpty();
        for (Event event : each.rest()) {
          apply(desk, each.id(), event);
        }
        assertThat(end(engine, each.id())).as(each.id()).isEqualTo(end(each, format));
      }
      assertThat(engine.verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 6})
  void an_effect_that_was_in_progress_is_called_again_by_a_later_version(int format)
      throws Exception {
    unzip(store(format), folder);

    try (Desk desk = open(folder, handling(true))) {
      Engine engine = desk.sessions.engine();
      engine.register(slow());

      assertThat(end(engine, "slow")).isEqualTo("COMPLETED {k=1, slow=answered}");
      assertThat(engine.receipts("slow")).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 6})
  void a_message_id_of_a_golden_store_is_remembered(int format) throws Exception {
    unzip(store(format), folder);

    try (Desk desk = open(folder, handling(true))) {
      Engine engine = desk.sessions.engine();
      engine.register(messages());
      engine.signal("messages", "go", Map.of("n", 1), "first");
      assertThat(engine.status("messages").status()).isEqualTo(CaseStatus.WAITING);
      engine.signal("messages", "go", Map.of("n", 2), "second");

      assertThat(end(engine, "messages")).isEqualTo("COMPLETED {n=2}");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 6})
  void a_session_of_a_golden_store_runs_to_its_end_on_the_graph_it_was_started_with(int format)
      throws Exception {
    unzip(store(format), folder);

    try (Desk desk = open(folder, handling(true))) {
      assertThat(desk.sessions.view(SESSION).at("G").getFirst().status()).isEqualTo(Status.WAITING);
      assertThat(desk.sessions.nextNumber(Desk.ME)).isEqualTo(2);
      assertThat(
              desk.sessions.registry().find(RegistryEntry.Kind.GRAPH, "g").orElseThrow().version())
          .isEqualTo(2);
      desk.clock.advance(60_000);
      desk.end(SESSION);

      assertThat(desk.story(SESSION)).containsExactly("A:valid", "G:valid", "H:valid", "J:valid");
      assertThat(desk.result(SESSION)).isEqualTo(Map.of("n", 3L));
      assertThat(desk.sessions.engine().verify()).isEmpty();
    }
  }

  private static WorkflowDefinition slow() {
    return workflow("slow", effect("slow"));
  }

  private static WorkflowDefinition messages() {
    return workflow("messages", defer(on("go", skip())), defer(on("go", skip())));
  }

  private static String end(Engine engine, String id) throws InterruptedException {
    assertThat(engine.await(id, PATIENCE)).as("%s ends", id).isPresent();
    CaseView view = engine.status(id);
    Context context = view.context();
    if (context.get("error") instanceof Map<?, ?> error) {
      context = context.with("error", error.get("reason"));
    }
    return view.status() + " " + context.toMap();
  }

  private static void apply(Desk desk, String id, Event event) {
    Engine engine = desk.sessions.engine();
    switch (event.verb()) {
      case "done" -> {
        PendingTask task = pending(engine, id, event.subject());
        Map<String, Object> values = new HashMap<>(event.values());
        if (task.type().equals("tell")) {
          values.put("told", true);
        }
        engine.completeTask(id, task.id(), values);
      }
      case "fail" -> engine.failTask(id, pending(engine, id, event.subject()).id(), "broken");
      case "signal" -> engine.signal(id, event.subject(), event.values(), "message");
      case "add" -> engine.addInstance(id, event.subject());
      case "decide" -> engine.decide(id, pending(engine, id, event.subject()).id(), true, Desk.ME);
      case "advance" -> desk.clock.advance(Long.parseLong(event.subject()) * 1_000);
      default -> throw new IllegalArgumentException(event.toString());
    }
  }

  /// The pending task of a name, such as `A` or `A[2]`.
  private static PendingTask pending(Engine engine, String id, String name) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < deadline) {
      for (PendingTask task : engine.status(id).tasks()) {
        String label = task.label().isEmpty() ? "" : "[" + task.label() + "]";
        if (name.equals(task.task() + label)) {
          return task;
        }
      }
      LockSupport.parkNanos(100_000);
    }
    throw new AssertionError(id + " never waits for " + name + ": " + engine.status(id));
  }

  /// States of format 5 have write stamps: there the write of the later branch counts.
  private static String end(GoldenCase each, int format) {
    boolean isStamped = format > 4 && each.flow().name().startsWith("par-");
    return isStamped ? "COMPLETED {k=1}" : each.end();
  }

  private static String store(int format) {
    return "/golden/store-" + format + ".zip";
  }

  static void unzip(String resource, Path folder) throws IOException {
    try (InputStream in =
            Objects.requireNonNull(GoldenStoreTest.class.getResourceAsStream(resource));
        ZipInputStream zip = new ZipInputStream(in)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path file = folder.resolve(entry.getName());
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.write(file, zip.readAllBytes());
      }
    }
  }

  /// Leaves out what names the machine or the process that wrote the store.
  private static boolean isKept(Path file) {
    String name = String.valueOf(file.getFileName());
    boolean isPrivate =
        name.equals("holder") || name.startsWith("LO") || name.startsWith("OPTIONS");
    return Files.isRegularFile(file) && !isPrivate;
  }

  /// Writes the golden store as a zip file; the two arguments are the file and a folder to work in.
  public static void main(String[] arguments) throws Exception {
    Path store = Path.of(arguments[1]).resolve("store");
    try (Desk desk = open(store, handling(false))) {
      Engine engine = desk.sessions.engine();
      for (GoldenCase each : GoldenCase.all()) {
        engine.register(each.flow(), Bytes.of(each.source().getBytes(StandardCharsets.UTF_8)));
        engine.start(
            each.flow(), each.id(), each.start(), CaseOptions.DEFAULT.withTrace(TraceLevel.FULL));
        for (Event event : each.before()) {
          apply(desk, each.id(), event);
        }
      }
      engine.start(slow(), "slow", Context.of("k", 1));
      engine.start(messages(), "messages", Context.empty());
      engine.signal("messages", "go", Map.of("n", 1), "first");
      desk.rule("arm", SLOW_RULE).rule("pass", SessionsTest.PASS).graph(GRAPH);
      SessionKey key = desk.start("A", Map.of());
      desk.until(key, view -> view.processes().size() == 4);
      desk.graph("\"Other\": {\"rule\": \"pass\"}");
    }
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(Path.of(arguments[0])));
        Stream<Path> files = Files.walk(store).filter(GoldenStoreTest::isKept)) {
      for (Path file : (Iterable<Path>) files.sorted()::iterator) {
        zip.putNextEntry(new ZipEntry(store.relativize(file).toString()));
        zip.write(Files.readAllBytes(file));
        zip.closeEntry();
      }
    }
  }
}
