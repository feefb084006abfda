package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What sessions on a store need from outside: their secrets, and somebody who wakes them.
final class SessionsOnStoreTest {
  @TempDir Path folder;

  @Test
  void a_session_on_a_store_waits_for_its_secrets_until_they_are_given_again() throws Exception {
    String store = folder.resolve("store").toString();
    Path rules = Files.createDirectories(folder.resolve("rules"));
    Files.writeString(
        rules.resolve("arm.json"), "{\"payload\": {}, \"onValid\": {\"waitSec\": 2}}");
    Files.writeString(
        rules.resolve("open.json"),
        "{\"payload\": {}, \"rules\": [\"[__secret1] == 'hunter22'\"]}");
    Path graph =
        Files.writeString(
            folder.resolve("graph.json"),
            "{\"id\": \"g\", \"structure\": {\"A\": {\"rule\": \"arm\", \"onValid\": {\"spawns\":"
                + " [\"B\"]}}, \"B\": {\"rule\": \"open\"}}}");
    Path file = Files.writeString(folder.resolve("token"), "hunter22\n");
    String secret = "__secret1=file:" + file;

    Shell started =
        damask(
            "run",
            graph.toString(),
            "--entry",
            "A",
            "--rules",
            rules.toString(),
            "--store",
            store,
            "--secret",
            secret);
    Shell without = damask("run", "--store", store, "--wait", "PT10S");
    Shell with = damask("run", "--store", store, "--secret", secret);
    Shell misplaced = damask("run", "--secret", secret);

    assertThat(started.exit()).as(started.err()).isEqualTo(Exit.WAITING);
    assertThat(without.exit()).as(without.err()).isEqualTo(Exit.WAITING);
    assertThat(without.out()).contains("B running waits for __secret1 to be provided again");
    assertThat(with.exit()).as(with.out() + with.err()).isZero();
    assertThat(with.out()).contains("B done valid").doesNotContain("hunter22");
    assertThat(misplaced.exit()).isEqualTo(Exit.INVALID);
    assertThat(misplaced.err()).contains("missing DOC");
  }

  @Test
  void somebody_else_wakes_what_a_session_lets_him_wake() {
    String store = folder.resolve("store").toString();
    String order =
        "{\"order\": \"o-1\", \"amount\": 120,"
            + " \"__wakeUp\": {\"steps\": {\"Decide\": {\"rpc\": [\"bob\"]}}}}";
    OrderSession.start(store, order);

    Shell mallory = wake(store, "mallory");
    Shell bob = wake(store, "bob");

    assertThat(mallory.exit()).isEqualTo(Exit.INVALID);
    assertThat(mallory.err()).contains("mallory may not wake step Decide of eve/1");
    assertThat(bob.exit()).as(bob.err()).isZero();
    assertThat(bob.out()).contains("woken 1");
  }

  private static Shell wake(String store, String who) {
    return damask(
        "wake",
        "1",
        "--step",
        "Decide",
        "--store",
        store,
        "--owner",
        "eve",
        "--as",
        who,
        "--payload",
        "{\"approved\": true}");
  }

  @Test
  void a_listing_says_what_cannot_be_listed() {
    String store = folder.resolve("store").toString();
    OrderSession.start(store);

    Shell none = damask("sessions", "--store", store, "--owner", "eve", "--last", "0");
    Shell absent =
        damask("sessions", "--store", store, "--owner", "eve", "--processes", "--session", "99");

    assertThat(none.exit()).isEqualTo(Exit.INVALID);
    assertThat(none.err()).contains("--last must be at least 1, got 0");
    assertThat(absent.exit()).isEqualTo(Exit.INVALID);
    assertThat(absent.err()).contains("99");
  }

  @Test
  void a_typing_mistake_makes_no_store() throws Exception {
    Path none = folder.resolve("nowhere");
    Path rule = Files.writeString(folder.resolve("r.json"), "{\"payload\": {}}");
    List<List<String>> commands =
        List.of(
            List.of("sessions"),
            List.of("session", "1"),
            List.of("wake", "1", "--step", "A"),
            List.of("kill", "1"),
            List.of("rules", "list"));

    for (List<String> command : commands) {
      List<String> words = new ArrayList<>(command);
      words.addAll(List.of("--store", none.toString()));
      Shell shell = damask(words.toArray(String[]::new));

      assertThat(shell.exit()).as(words.toString()).isEqualTo(Exit.INVALID);
      assertThat(shell.err()).contains(none + ": not a store");
      assertThat(none).doesNotExist();
    }
    Shell made = damask("rules", "put", rule.toString(), "--store", none.toString());
    Shell run = OrderSession.start(folder.toString());
    Shell full = damask("rules", "put", rule.toString(), "--store", folder.toString());

    assertThat(made.exit()).as(made.err()).isZero();
    assertThat(made.out()).startsWith("r version 1");
    for (Shell shell : List.of(full, run)) {
      assertThat(shell.exit()).isEqualTo(Exit.INVALID);
      assertThat(shell.err()).contains("neither a store nor an empty directory");
    }
  }
}
