package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Every command prints the same on a store, on a store that an engine holds, and at a server.
@Timeout(240)
final class HeldOutputTest {
  @TempDir Path folder;

  private ThreePlaces places;
  private String newer = "";

  @BeforeEach
  void copies() throws IOException {
    places = new ThreePlaces(folder);
    newer = places.newer;
  }

  @AfterEach
  void close() throws Exception {
    places.close();
  }

  private Shell same(String... words) {
    return places.same(words);
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
      for (List<String> each : List.of(places.plain, places.held, places.server)) {
        Shell shell = ThreePlaces.on(each, "show", "two", form, "-o", file.toString());
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
    Shell all = ThreePlaces.on(places.plain, "migrate", "--all", newer, "--json");
    for (List<String> each : List.of(places.held, places.server)) {
      assertThat(ThreePlaces.on(each, "migrate", "--all", newer, "--json").out())
          .isEqualTo(all.out());
    }
    same("show", "two");
    same("migrate", "--all", newer);
  }

  @Test
  void stores_are_checked_and_copied_while_they_are_held() {
    assertThat(ThreePlaces.on(places.held, "verify").out()).contains("no problem found");
    assertThat(ThreePlaces.on(places.server, "verify").out()).contains("no problem found");
    Path target = folder.resolve("backup");

    Shell backup = ThreePlaces.on(places.held, "backup", target.toString());

    assertThat(backup.err()).isEmpty();
    assertThat(damask("cases", target.toString()).out())
        .isEqualTo(ThreePlaces.on(places.plain, "cases").out());
    assertThat(ThreePlaces.on(places.held, "backup", target.toString()).err())
        .contains("the target exists");
    assertThat(ThreePlaces.on(places.server, "backup", "copy").err())
        .contains("no backup directory");
  }

  @Test
  void workflows_are_drawn_the_same() throws IOException {
    assertThat(same("draw", "w").out()).startsWith("<svg").contains("price");
    assertThat(same("draw", "ww").err()).contains("the store has no workflow 'ww'", "w");
    Path file = folder.resolve("drawn.svg");
    assertThat(same("draw", "w", "-o", file.toString()).exit()).isZero();
    assertThat(file).content().isEqualTo(same("draw", "w").out());
    same("migrate", "one", newer);
    Shell several = same("draw", "w");
    assertThat(several.err()).contains("the store has 2 versions of workflow w");
    String hash = several.err().replaceAll("(?s).*name one as w@(\\S+).*", "$1");
    assertThat(same("draw", "w@" + hash).out()).startsWith("<svg");
  }

  @Test
  void cases_run_the_same() throws IOException {
    String events =
        places.write(
            "events.yaml", "[{done: a}, {done: b, set: {paid: 2.50}}, {signal: go}, {done: c}]");
    String document = places.document;

    assertThat(same("run", document, "--id", "four", "--events", events).out())
        .startsWith("four: completed (")
        .contains("paid: ");
    same("run", document, "--id", "four", "--json");
    assertThat(same("run", document, "--id", "five", "--context", "{\"price\": 3}").out())
        .contains("five: waiting", "waits for task a");
    assertThat(same("run", "--id", "five").out()).contains("five: waiting");
    assertThat(same("run").out()).contains("one: waiting", "two: waiting", "five: waiting");
    same("run", "--json");
    assertThat(same("run", document).err()).contains("several cases of workflow w are open");
    assertThat(same("run", "--id", "nobody").err()).contains("no case 'nobody'");
    String sleeps =
        places.write(
            "s.yaml",
            "{workflow: s, do: [{task: nap, effect: {type: sleep, with: {for: PT0.2S}}},"
                + " {task: t}]}");
    assertThat(same("run", sleeps).err()).contains("started case s-1");
    assertThat(same("run", sleeps).err()).contains("resuming case s-1");
    String fails = places.write("f.yaml", "{workflow: f, do: [{task: t}]}");
    String end = places.write("end.yaml", "[{fail: t, reason: broken}]");
    Shell failed = same("run", fails, "--events", end);
    assertThat(failed.out()).contains("f-1: failed", "reason broken", "(line 1)");
    assertThat(failed.exit()).isEqualTo(Exit.FAILED);
  }

  @Test
  void effects_that_the_server_performs_are_not_checked_here() throws IOException {
    String calls =
        places.write(
            "h.yaml",
            """
            workflow: h
            do:
              task: ask
              effect:
                type: http
                with: {url: "http://127.0.0.1:9/", headers: {authorization: "${secret.NONE}"}}
            """);

    assertThat(ThreePlaces.on(places.plain, "run", calls).err()).contains("add --allow HOST");
    assertThat(ThreePlaces.on(places.plain, "cases").exit()).isZero();
    for (List<String> each : List.of(places.held, places.server)) {
      Shell shell = ThreePlaces.on(each, "run", calls);

      assertThat(shell.out()).contains("h-1: waiting", "waits for task ask");
      assertThat(shell.exit()).as(shell.err()).isEqualTo(Exit.WAITING);
    }
  }

  @Test
  void time_is_not_advanced_where_cases_are_stored() throws IOException {
    String events = places.write("advance.yaml", "[{advance: PT1S}]");
    String[] words = {"run", places.document, "--events", events};

    for (List<String> each : List.of(places.plain, places.held)) {
      assertThat(ThreePlaces.on(each, words).err())
          .contains("cannot be advanced in a store", "run without --store");
    }
    assertThat(ThreePlaces.on(places.server, words).err())
        .contains("cannot be advanced at a server", "run without --server");
  }

  @Test
  void options_that_only_the_server_decides_are_refused() {
    List<String> options =
        List.of("--trace=full", "--scheduler=random:1", "--allow=localhost", "--history=last");
    for (List<String> each : List.of(places.held, places.server)) {
      for (String option : options) {
        Shell shell = ThreePlaces.on(each, "run", places.document, "--id", "six", option);

        assertThat(shell.err()).contains("cannot be used with").hasLineCount(1);
        assertThat(shell.exit()).isEqualTo(Exit.INVALID);
      }
    }
  }
}
