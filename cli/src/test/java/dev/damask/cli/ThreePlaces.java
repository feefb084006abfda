package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.api.Site;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.OwnerService;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.StoreFolder;
import dev.damask.effect.SleepEffect;
import dev.damask.server.DamaskServer;
import dev.damask.server.ServerOptions;
import dev.damask.session.SessionOptions;
import dev.damask.session.Sessions;
import dev.damask.store.Store;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// Copies of one store with three cases: one that no process has open, one that an engine holds,
/// and one at a server.
final class ThreePlaces {
  final String document;
  final String newer;
  final List<String> plain;
  final List<String> held;
  final List<String> server;
  private final Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();

  ThreePlaces(Path folder) throws IOException {
    this.folder = folder;
    this.document = write("w.yaml", workflow(""));
    this.newer = write("n.yaml", workflow(", {task: d}"));
    Path first = folder.resolve("first");
    for (String id : List.of("one", "two", "three")) {
      Shell run = damask("run", document, "--id", id, "--store", first.toString());
      assertThat(run.exit()).as(run.err()).isEqualTo(Exit.WAITING);
    }
    damask("complete", "two", "a", "--data", "{\"n\": 2.0}", "--store", first.toString());
    this.plain = List.of("--store", copy(first, "plain").toString());
    Path other = copy(first, "held");
    this.held = List.of("--store", other.toString());
    List<String> url = List.of();
    try {
      hold(other);
      url = serve(copy(first, "server"));
    } finally {
      if (url.isEmpty()) {
        close();
      }
    }
    this.server = url;
  }

  private List<String> serve(Path store) {
    Sessions engine = engine(store, false);
    open.add(engine);
    ServerOptions options = ServerOptions.defaults().withPort(0);
    String token = options.tokens().issue(Caller.of("admin", Role.ADMIN));
    DamaskServer started =
        DamaskServer.start(engine.engine(), options, Site.of("test").withSessions(engine));
    open.add(started);
    return List.of("--server", started.url().toString(), "--token", token);
  }

  private static String workflow(String more) {
    return "{workflow: w, context: {price: 1.50, big: 1234567890123},"
        + " attributes: {price: price}, places: {go: {external: true}},"
        + " do: [{task: a}, {par: [{task: b, onExhausted: park},"
        + " {defer: [{take: go, do: {task: c, set: {paid: price}}}]}]}"
        + more
        + "]}";
  }

  private void hold(Path other) {
    open.add(engine(other, true));
    Path file = other.resolve(OwnerService.FILE);
    while (!Files.exists(file)) {
      LockSupport.parkNanos(100_000);
    }
  }

  private static Sessions engine(Path store, boolean isServed) {
    Store opened = new StoreFolder(store).open();
    Sessions sessions = null;
    try {
      EngineOptions options =
          EngineOptions.defaults()
              .withOwnerService(isServed)
              .withSources(new KeptDocuments(opened, null))
              .withHandlers(Map.of("sleep", new SleepEffect()));
      sessions = Sessions.open(SessionOptions.defaults().withEngine(options), opened);
      return sessions;
    } finally {
      if (sessions == null) {
        opened.close();
      }
    }
  }

  String write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private Path copy(Path from, String name) throws IOException {
    Path to = folder.resolve(name);
    try (Stream<Path> files = Files.walk(from)) {
      files.forEach(each -> copy(each, to.resolve(from.relativize(each))));
    }
    return to;
  }

  private static void copy(Path from, Path to) {
    try {
      Files.copy(from, to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void close() {
    open.reversed().forEach(ThreePlaces::close);
  }

  private static void close(AutoCloseable each) {
    try {
      each.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /// Runs a command at the three places and compares what it prints, except times and the name of
  /// the place.
  Shell same(String... words) {
    Shell local = on(plain, words);
    for (List<String> each : List.of(held, server)) {
      Shell other = on(each, words);
      String name = List.of(words) + " " + each.getFirst();
      assertThat(timeless(each, other.err())).as(name).isEqualTo(timeless(plain, local.err()));
      assertThat(timeless(each, other.out())).as(name).isEqualTo(timeless(plain, local.out()));
      assertThat(other.exit()).as(name).isEqualTo(local.exit());
    }
    return local;
  }

  static Shell on(List<String> place, String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(place);
    return damask(all.toArray(String[]::new));
  }

  private static String timeless(List<String> place, String text) {
    return text.replace(place.get(1), "PLACE")
        .replaceAll("[0-9-]+T[0-9:.]+Z", "TIME")
        .replaceAll("[0-9]+ ms", "MS");
  }
}
