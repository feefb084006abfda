package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the commands report about wake-ups.
final class WakeUpCommandsTest {
  @TempDir Path folder;
  private Path graph = Path.of("");
  private Path rules = Path.of("");

  @BeforeEach
  void write() throws Exception {
    graph =
        Files.writeString(
            folder.resolve("graph.json"),
            """
            {"id": "bell", "structure": {"Ring": {"rule": "ring"}, "Arm": {"rule": "arm",
              "onValid": {"spawns": ["Door"]}}, "Door": {"rule": "door"}}}
            """);
    rules = Files.createDirectory(folder.resolve("rules"));
    Files.writeString(
        rules.resolve("ring.json"),
        """
        {"payload": {"to": {"type": "int64"}}, "onValid": {"wakeUps": [
          {"runner": "eve", "sessionId": "[to]", "stepId": "Door"}]}}
        """);
    Files.writeString(
        rules.resolve("arm.json"), "{\"payload\": {}, \"onValid\": {\"waitSec\": 600}}");
    Files.writeString(rules.resolve("door.json"), "{\"payload\": {}}");
  }

  private Shell run(String entry, String payload) {
    return damask(
        "run",
        graph.toString(),
        "--rules",
        rules.toString(),
        "--entry",
        entry,
        "--context",
        payload,
        "--store",
        folder.resolve("store").toString(),
        "--owner",
        "eve");
  }

  private Shell session(String... words) {
    String[] all = java.util.Arrays.copyOf(words, words.length + 4);
    all[words.length] = "--store";
    all[words.length + 1] = folder.resolve("store").toString();
    all[words.length + 2] = "--owner";
    all[words.length + 3] = "eve";
    return damask(all);
  }

  @Test
  void a_run_reports_a_wake_up_without_a_receiver() {
    Shell lost = run("Ring", "{\"to\": 9}");
    Shell log = session("session", "1", "--log");

    assertThat(lost.exit()).as(lost.err()).isEqualTo(1);
    assertThat(lost.out())
        .startsWith("session eve/1: completed\n")
        .contains("step Ring: the wake-up of session eve/9 step Door woke no process\n");
    assertThat(log.out()).contains("\"stepId\":\"Door\",\"woken\":0");
  }

  @Test
  void a_wake_of_nobody_exits_1_and_a_wake_of_no_step_2() {
    Shell armed = run("Arm", "{}");
    Shell typo = session("wake", "1", "--step", "Dor");
    Shell woken = session("wake", "1", "--step", "Door");
    Shell again = session("wake", "1", "--step", "Door");

    assertThat(armed.exit()).as(armed.err()).isEqualTo(Exit.WAITING);
    assertThat(typo.exit()).isEqualTo(Exit.INVALID);
    assertThat(typo.err()).contains("has no step 'Dor', did you mean 'Door'?");
    assertThat(woken.out()).isEqualTo("woken 1\n");
    assertThat(woken.exit()).isZero();
    assertThat(again.out()).isEqualTo("woken 0\n");
    assertThat(again.exit()).isEqualTo(1);
  }
}
