package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.OwnerService;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.StoreFolder;
import dev.damask.effect.SleepEffect;
import dev.damask.server.DamaskServer;
import dev.damask.server.ServerOptions;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Every command prints the same on a store, on a store that an engine holds, and at a server.
@Timeout(240)
final class HeldOutputTest {
  @TempDir Path folder;

  private final List<AutoCloseable> open = new ArrayList<>();
  private String document = "";
  private String newer = "";
  private List<String> plain = List.of();
  private List<String> held = List.of();
  private List<String> server = List.of();

  @BeforeEach
  void copies() throws IOException {
    document =
        write(
            "w.yaml",
            "{workflow: w, context: {price: 1.50, big: 1234567890123},"
                + " attributes: {price: price}, places: {go: {external: true}},"
                + " do: [{task: a}, {par: [{task: b, onExhausted: park},"
                + " {defer: [{take: go, do: {task: c, set: {paid: price}}}]}]}]}");
    newer =
        write(
            "n.yaml",
            "{workflow: w, context: {price: 1.50, big: 1234567890123},"
                + " attributes: {price: price}, places: {go: {external: true}},"
                + " do: [{task: a}, {par: [{task: b, onExhausted: park},"
                + " {defer: [{take: go, do: {task: c, set: {paid: price}}}]}]}, {task: d}]}");
    Path first = folder.resolve("first");
    for (String id : List.of("one", "two", "three")) {
      Shell run = damask("run", document, "--id", id, "--store", first.toString());
      assertThat(run.exit()).as(run.err()).isEqualTo(Exit.WAITING);
    }
    damask("complete", "two", "a", "--data", "{\"n\": 2.0}", "--store", first.toString());
    plain = List.of("--store", copy(first, "plain").toString());
    Path other = copy(first, "held");
    hold(other);
    held = List.of("--store", other.toString());
    Engine engine = engine(copy(first, "server"), false);
    open.add(engine);
    ServerOptions options = ServerOptions.defaults().withPort(0);
    String token = options.tokens().issue(Caller.of("admin", Role.ADMIN));
    DamaskServer started = DamaskServer.start(engine, options);
    open.add(started);
    server = List.of("--server", started.url().toString(), "--token", token);
  }

  private void hold(Path other) {
    open.add(engine(other, true));
    Path file = other.resolve(OwnerService.FILE);
    while (!Files.exists(file)) {
      LockSupport.parkNanos(100_000);
    }
  }

  private static Engine engine(Path store, boolean isServed) {
    Store opened = new StoreFolder(store).open();
    EngineOptions options =
        EngineOptions.defaults()
            .withOwnerService(isServed)
            .withSources(new KeptDocuments(opened, null))
            .withHandlers(Map.of("sleep", new SleepEffect()));
    return Engine.open(options, opened);
  }

  private String write(String name, String text) throws IOException {
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

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  /// Runs a command at the three places and compares what it prints, except times.
  private Shell same(String... words) {
    Shell local = on(plain, words);
    for (List<String> each : List.of(held, server)) {
      Shell other = on(each, words);
      String name = List.of(words) + " " + each.getFirst();
      assertThat(timeless(other.err())).as(name).isEqualTo(timeless(local.err()));
      assertThat(timeless(other.out())).as(name).isEqualTo(timeless(local.out()));
      assertThat(other.exit()).as(name).isEqualTo(local.exit());
    }
    return local;
  }

  private static Shell on(List<String> place, String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(place);
    return damask(all.toArray(String[]::new));
  }

  private static String timeless(String text) {
    return text.replaceAll("[0-9-]+T[0-9:.]+Z", "TIME").replaceAll("[0-9]+ ms", "MS");
  }

  @Test
  void lists_and_cases_are_the_same() {
    assertThat(same("cases").out()).contains("waiting", "price=1.5").hasLineCount(3);
    same("cases", "--json");
    Shell page = same("cases", "--limit", "2");
    String cursor = page.err().replaceAll("(?s).*--after '([^']*)'.*", "$1");
    assertThat(same("cases", "--limit", "2", "--after", cursor).out()).hasLineCount(1);
    String next = same("cases", "--workflow", "w", "--limit", "1").err();
    same(
        "cases",
        "--workflow",
        "w",
        "--limit",
        "1",
        "--after",
        next.replaceAll("(?s).*--after '([^']*)'.*", "$1"));
    assertThat(same("cases", "--where", "waitingFor = b").out()).contains("two");
    same("cases", "--where", "price > 1 and", "--json");
    assertThat(same("cases", "--status", "failed").err()).contains("no cases found");
    assertThat(same("show", "two").out()).contains("pending tasks", "receipts", "n: 2.0");
    assertThat(same("show", "two", "--json").out()).contains("1234567890123");
    same("show", "two", "--revision", "1");
    same("show", "two", "--revision", "99");
    same("show", "two", "--as", "history");
    same("show", "two", "--as", "history", "--json");
    assertThat(same("show", "two", "--as", "scenario").exit()).isZero();
    assertThat(same("show", "twoo").err()).contains("no case 'twoo'", "two");
    assertThat(same("receipt", "two").out()).contains("ok {\"n\": 2.0}");
    same("receipt", "two#1", "--json");
    same("receipt", "two#9");
    same("receipt", "--type", "a", "--key", "none");
    same("incidents");
    same("schedules");
    same("schedules", "pause", "nightly");
  }

  @Test
  void diagrams_and_recordings_are_the_same() throws IOException {
    for (String form : List.of("--tail=0", "--as=recording")) {
      Path file = folder.resolve("out");
      List<byte[]> found = new ArrayList<>();
      for (List<String> each : List.of(plain, held, server)) {
        Shell shell = on(each, "show", "two", form, "-o", file.toString());
        assertThat(shell.exit()).as(shell.err()).isZero();
        found.add(Files.readAllBytes(file));
      }

      assertThat(found.get(1)).isEqualTo(found.get(0)).isNotEmpty();
      assertThat(found.get(2)).isEqualTo(found.get(0));
    }
  }

  @Test
  void inputs_have_the_same_replies() {
    assertThat(same("complete", "one", "a").out()).contains("one: accepted; waiting for task b");
    same("complete", "one", "nothing", "--data", "{\"x\": 1}");
    same("signal", "one", "go", "--data", "{\"by\": \"ann\"}", "--message", "m-1", "--json");
    same("signal", "one", "go", "--message", "m-1");
    same("signal", "one", "nowhere");
    same("signal", "one", "go", "--traceparent", "nonsense");
    same("fail", "one", "c", "--reason", "broken");
    same("fail", "one", "missing");
    assertThat(same("pause", "--case", "two", "--reason", "typo").out()).contains("paused (typo)");
    same("pause", "--case", "two", "--reason", "again");
    same("complete", "two", "b");
    same("resume", "--case", "two");
    same("change", "two", "99", "--data", "{}", "--reason", "typo");
    same("retry", "two");
    same("restart", "three", "four");
    same("restart", "three", "four");
    same("delete", "three");
    same("cancel", "three", "--reason", "late");
    assertThat(same("delete", "three").out()).isEqualTo("three: deleted\n");
    same("cancel", "three");
    same("show", "one");
    same("cases");
  }

  @Test
  void migrations_are_the_same() {
    same("migrate", "--plan", newer);
    same("migrate", "--plan", newer, "--json");
    same("migrate", "--dry-run", newer);
    assertThat(same("migrate", "one", newer).out()).contains("one: moved");
    Shell all = on(plain, "migrate", "--all", newer, "--json");
    for (List<String> each : List.of(held, server)) {
      assertThat(on(each, "migrate", "--all", newer, "--json").out()).isEqualTo(all.out());
    }
    same("show", "two");
    same("migrate", "--all", newer);
  }

  @Test
  void stores_are_checked_and_copied_while_they_are_held() {
    assertThat(on(held, "verify").out()).contains("no problem found");
    assertThat(on(server, "verify").out()).contains("no problem found");
    Path target = folder.resolve("backup");

    Shell backup = on(held, "backup", target.toString());

    assertThat(backup.err()).isEmpty();
    assertThat(damask("cases", target.toString()).out()).isEqualTo(on(plain, "cases").out());
    assertThat(on(held, "backup", target.toString()).err()).contains("the target exists");
    assertThat(on(server, "backup", "copy").err()).contains("no backup directory");
  }
}
