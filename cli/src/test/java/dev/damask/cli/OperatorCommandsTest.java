package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The commands with which operators pause, change, restart and delete cases.
@Timeout(120)
final class OperatorCommandsTest {
  @TempDir Path folder;
  private String store = "";
  private String document = "";

  @BeforeEach
  void start() throws IOException {
    store = folder.resolve("store").toString();
    document =
        Files.writeString(
                folder.resolve("w.yaml"),
                "{workflow: w, context: {price: 1}, do: [{task: a}, {task: b},"
                    + " {task: c, set: {paid: price}}]}")
            .toString();
    damask("run", document, "--id", "one", "--store", store);
  }

  private Shell on(String command, String... words) {
    String[] all = new String[words.length + 3];
    all[0] = command;
    System.arraycopy(words, 0, all, 1, words.length);
    all[words.length + 1] = "--store";
    all[words.length + 2] = store;
    return damask(all);
  }

  @Test
  void a_paused_case_stores_inputs_until_it_is_resumed() {
    assertThat(on("pause", "--case", "one", "--reason", "a typing error").out())
        .isEqualTo("one: accepted; paused (a typing error)\n");
    assertThat(on("cases").out()).contains("paused");
    Shell stored = on("complete", "one", "a");
    assertThat(stored.exit()).isEqualTo(Exit.OK);
    assertThat(stored.out())
        .isEqualTo(
            "one: stored until the case is resumed; paused (a typing error, inputs stored: 1)\n");
    assertThat(on("pause", "--case", "one", "--reason", "again").exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(on("pause", "--case", "one").err()).contains("a reason is required");
    assertThat(damask("run", document, "--id", "one", "--store", store).exit())
        .isEqualTo(Exit.WAITING);

    assertThat(on("resume", "--case", "one").out())
        .isEqualTo("one: accepted; waiting for task b\n");
    assertThat(on("resume", "--case", "one").exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(on("resume").err()).contains("either SESSION or --case is required");
  }

  @Test
  void data_of_a_waiting_token_is_changed() {
    on("complete", "one", "a");
    Shell changed = on("change", "one", "b", "--data", "{\"price\": 2}", "--reason", "typo");
    assertThat(changed.out()).isEqualTo("one: accepted; waiting for task b\n");
    on("complete", "one", "b");
    assertThat(on("show", "one").out()).contains("price: 2");
    assertThat(on("change", "one", "99", "--data", "{}", "--reason", "typo").err())
        .contains("case has no token 99");
    assertThat(on("show", "one", "--as", "scenario").err())
        .contains("an operator changed data of a token");
  }

  @Test
  void the_scenario_of_a_case_that_was_paused_passes() throws IOException {
    on("pause", "--case", "one", "--reason", "why not");
    on("complete", "one", "a");
    on("resume", "--case", "one");
    on("complete", "one", "b");

    Shell scenario = on("show", "one", "--as", "scenario");

    assertThat(scenario.exit()).as(scenario.err()).isEqualTo(Exit.OK);
    Path file = Files.writeString(folder.resolve("s.json"), scenario.out());
    assertThat(damask("test", file.toString()).exit()).isEqualTo(Exit.OK);
  }

  @Test
  void a_case_is_restarted_and_deleted() {
    on("complete", "one", "a");
    assertThat(on("delete", "one").exit()).isEqualTo(Exit.DIFFERENT);

    assertThat(on("restart", "one", "two").out()).isEqualTo("two: started from one\n");
    assertThat(on("restart", "one", "three", "--from", "2").out())
        .isEqualTo("three: started from one at 2\n");
    assertThat(on("show", "two").out()).contains("a, effect a, attempt 1, key two:");
    assertThat(on("show", "three").out()).contains("b, effect b, attempt 1, key three:");
    on("cancel", "one");
    assertThat(on("delete", "one").out()).isEqualTo("one: deleted\n");
    assertThat(on("show", "one").exit()).isEqualTo(Exit.INVALID);
  }
}
