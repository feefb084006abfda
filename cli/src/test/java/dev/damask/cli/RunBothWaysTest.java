package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A run in memory and one on a store print the same, end the same and leave the same trace.
final class RunBothWaysTest {
  @TempDir Path folder;

  /// Documents with their events, as YAML.
  enum Sample {
    ALLOWED_EFFECTS(
        """
        workflow: w
        do:
          - {cancel: r, allow: [sleep], do: {task: t, effect: {type: log, with: {message: hi}}}}
        """,
        "[]"),
    CAUGHT_REFUSAL(
        """
        workflow: w
        do:
          - cancel: r
            allow: [sleep]
            catch: {set: {caught: true}}
            do: {task: t, effect: {type: log, with: {message: hi}}}
        """,
        "[]"),
    WRONG_KEY_OF_LOG("{workflow: w, do: {task: t, effect: {type: log, with: {text: hi}}}}", "[]"),
    WRONG_LEVEL_OF_LOG(
        """
        workflow: w
        context: {how: loud}
        do: {task: t, effect: {type: log, with: {message: hi, level: "${how}"}}}
        """,
        "[]"),
    LOG_OF_DATA(
        """
        workflow: w
        context: {all: {a: 1, b: [x]}}
        do: {task: t, effect: {type: log, with: {message: "${all}", level: warning}}}
        """,
        "[]"),
    ONE_KEY_ONE_EFFECT(
        """
        workflow: w
        do:
          - {task: a, key: "'k'", effect: {type: log, with: {message: once}}}
          - {task: b, key: "'k'", effect: {type: log, with: {message: once}}}
        """,
        "[]"),
    ONE_KEY_TWO_EFFECTS(
        """
        workflow: w
        do:
          - {task: a, key: "'k'", effect: {type: log, with: {message: one}}}
          - {task: b, key: "'k'", effect: {type: log, with: {message: two}}}
        """,
        "[]"),
    SLEEP_AND_EVENTS(
        """
        workflow: w
        places: {x: {external: true}}
        do:
          - {task: nap, effect: {type: sleep, with: {for: 0.05}}}
          - par: [{task: A, result: r}, {take: x}]
        """,
        "[{done: A, set: {k: 1}}, {signal: x, set: {by: eve}}, {signal: nowhere}]"),
    RETRIES(
        "{workflow: w, do: {task: A, retry: {max: 2, delay: 0.05}}}",
        "[{fail: A, reason: busy}, {done: A}, {cancel: case}]"),
    INSTANCES(
        """
        workflow: w
        do:
          - mi: m
            count: 2
            open: true
            do: {task: B}
        """,
        "[{done: 'B[2]'}, {add: m}, {done: 'B[1]#1'}, {close: m}, {done: 'B[3]'}]"),
    UNDONE(
        """
        workflow: w
        do:
          cancel: r
          undo: true
          do: [{task: A, undo: {task: U}}, {fail: bad}]
        """,
        "[{done: A}, {done: U}]"),
    WAITING(
        "{workflow: w, places: {x: {external: true}}, do: [{task: A}, {take: x}]}", "[{done: A}]"),
    DEADLOCKED("{workflow: w, do: [{take: x}]}", "[]"),
    DEADLOCKED_AND_CANCELLED("{workflow: w, do: [{take: x}]}", "[{cancel: case}]"),
    CANCELLED("{workflow: w, places: {x: {external: true}}, do: [{take: x}]}", "[{cancel: case}]"),
    TIMED(
        "{workflow: w, limits: {time: 0.05}, places: {x: {external: true}}, do: [{take: x}]}",
        "[]"),
    APPROVED(
        """
        workflow: w
        do:
          task: ask
          effect:
            type: approval
            with: {question: ship?, within: 0.05, onTimeout: default, default: {ok: false}}
        """,
        "[]"),
    WRONG_EXPRESSION("{workflow: w, do: [{set: {m: n + 1}}]}", "[]"),
    ENDLESS("{workflow: w, limits: {steps: 5000}, do: {while: 'true', do: {set: {a: 1}}}}", "[]");

    private final String document;
    private final String events;

    Sample(String document, String events) {
      this.document = document;
      this.events = events;
    }
  }

  private record Ending(int exit, String out, String err, String trace) {}

  private Ending run(Sample sample, boolean isKept, String... more) throws IOException {
    Path recording = folder.resolve("recording.json");
    List<String> command = new ArrayList<>(List.of("run", file("w.yaml", sample.document)));
    command.addAll(List.of("--json", "--trace-out", recording.toString()));
    if (!sample.events.equals("[]")) {
      command.addAll(List.of("--events", file("events.yaml", sample.events)));
    }
    if (isKept) {
      command.addAll(List.of("--store", folder.resolve("store").toString()));
    }
    command.addAll(List.of(more));
    Shell shell = damask(command.toArray(String[]::new));
    String trace = Files.exists(recording) ? events(Files.readString(recording)) : "";
    if (!trace.isEmpty()) {
      assertThat(damask("replay", recording.toString()).out()).startsWith("same: ");
    }
    String err =
        shell.err().replace("damask: started case w-1\n", "").replaceAll("(?m)^w-1: ", "w: ");
    return new Ending(shell.exit(), shell.out(), err, trace);
  }

  /// The events of a recording without their times.
  private static String events(String recording) {
    String events = recording.substring(recording.indexOf("\"events\": ["));
    return events.replaceAll("(?m)^(\\[\\d+), \\d+,", "$1,").replaceAll("due=\\d+", "due");
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @ParameterizedTest
  @EnumSource
  void both_ways_agree(Sample sample) throws IOException {
    Ending inMemory = run(sample, false);
    Ending onStore = run(sample, true);

    assertThat(onStore).isEqualTo(inMemory);
    assertThat(inMemory.exit() == Exit.INVALID).isEqualTo(inMemory.trace().isEmpty());
  }

  @Test
  void both_ways_agree_on_choices_by_chance() throws IOException {
    String[] chance = {"--scheduler", "random:11"};

    assertThat(run(Sample.INSTANCES, true, chance)).isEqualTo(run(Sample.INSTANCES, false, chance));
  }

  @Test
  void both_ways_refuse_a_context_above_the_limit() throws IOException {
    String text = "\"" + "x".repeat(60_000) + "\"";
    String list = String.join(",", Collections.nCopies(6, text));
    String context = file("context.json", "{\"texts\": [" + list + "]}");
    String[] large = {"--context", "@" + context};

    Ending inMemory = run(Sample.DEADLOCKED, false, large);
    Ending onStore = run(Sample.DEADLOCKED, true, large);

    assertThat(inMemory.exit()).isEqualTo(Exit.INVALID);
    assertThat(inMemory.err()).startsWith("damask: ").contains("262144");
    assertThat(onStore).isEqualTo(inMemory);
  }

  @Test
  void the_samples_end_as_they_should() throws IOException {
    assertThat(run(Sample.ALLOWED_EFFECTS, false).exit()).isEqualTo(Exit.FAILED);
    assertThat(run(Sample.WRONG_KEY_OF_LOG, false).exit()).isEqualTo(Exit.INVALID);
    assertThat(run(Sample.WRONG_LEVEL_OF_LOG, false).exit()).isEqualTo(Exit.FAILED);
    assertThat(run(Sample.ONE_KEY_ONE_EFFECT, false).err()).isEqualTo("w: once\n");
    assertThat(run(Sample.LOG_OF_DATA, false).err())
        .isEqualTo("w: warning: {\"a\": 1, \"b\": [\"x\"]}\n");
    assertThat(run(Sample.ONE_KEY_TWO_EFFECTS, false).exit()).isEqualTo(Exit.FAILED);
    assertThat(run(Sample.INSTANCES, false).exit()).isZero();
    assertThat(run(Sample.DEADLOCKED_AND_CANCELLED, false).exit()).isEqualTo(Exit.CANCELLED);
  }
}
