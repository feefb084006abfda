package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReplayCommandTest {
  private static final String DOCUMENT =
      """
      workflow: race
      context: {n: 1.0, big: 123456789012345678901234567890, list: [1, {a: null}]}
      places: {x: {external: true}}
      do:
        - par:
            - [{set: {a: 1}}, {set: {a: 2}}, {task: A}]
            - [{set: {b: 1}}, {set: {b: 2}}, {task: B, result: r}]
            - [{take: x}, {xor: [{do: {task: c, set: {c: 1}}}, {do: {task: d, set: {d: 1}}}]}]
        - task: nap
          effect: {type: sleep, with: {for: 0.01}}
      """;

  private static final String EVENTS =
      """
      - {done: B, set: {k: 1.5}}
      - {done: A}
      - {signal: x, set: {by: "ève \\u0001"}}
      """;

  @TempDir Path folder;
  private Path recording = Path.of("");

  @BeforeEach
  void record() throws IOException {
    recording = folder.resolve("run.json");
    Path document = Files.writeString(folder.resolve("race.yaml"), DOCUMENT);
    Path events = Files.writeString(folder.resolve("events.yaml"), EVENTS);
    Shell run =
        damask(
            "run",
            document.toString(),
            "--events=" + events,
            "--scheduler=random:42",
            "--trace-out=" + recording);
    assertThat(run.exit()).as(run.err() + run.out()).isZero();
    // The recording is enough by itself.
    Files.delete(document);
    Files.delete(events);
  }

  @Test
  void a_random_run_replays_to_the_same_trace() {
    Shell shell = damask("replay", recording.toString());

    assertThat(shell.out()).matches("same: \\d+ events\n");
    assertThat(shell.exit()).isZero();
  }

  @Test
  void a_run_on_a_store_replays_to_the_same_trace() throws IOException {
    Path document = Files.writeString(folder.resolve("race.yaml"), DOCUMENT);
    Path events = Files.writeString(folder.resolve("events.yaml"), EVENTS);
    Path durable = folder.resolve("durable.json");
    String[] run = {
      "run",
      document.toString(),
      "--store=" + folder.resolve("store"),
      "--id=one",
      "--events=" + events,
      "--trace-out=" + durable
    };

    Shell first = damask(run);
    Shell replayed = damask("replay", durable.toString());
    Files.delete(durable);
    Shell second = damask(run);

    assertThat(first.exit()).as(first.err() + first.out()).isZero();
    assertThat(replayed.out()).matches("same: [1-9]\\d* events\n");
    assertThat(second.exit()).isEqualTo(Exit.INVALID);
    assertThat(second.err())
        .contains("case one: nothing was recorded, because the case did not move");
    assertThat(durable).doesNotExist();
  }

  @Test
  void a_case_that_is_resumed_from_a_store_replays_from_there() throws IOException {
    Path document = Files.writeString(folder.resolve("race.yaml"), DOCUMENT);
    Path events = Files.writeString(folder.resolve("events.yaml"), EVENTS);
    Path rest = folder.resolve("rest.json");
    String store = "--store=" + folder.resolve("store");

    Shell begun =
        damask(
            "run", document.toString(), store, "--id=one", "--scheduler=random:7", "--trace=full");
    Shell resumed = damask("run", store, "--id=one", "--events=" + events, "--trace-out=" + rest);

    assertThat(begun.exit()).as(begun.err()).isEqualTo(Exit.WAITING);
    assertThat(resumed.exit()).as(resumed.err() + resumed.out()).isZero();
    assertThat(rest).content().startsWith("{\"recording\": 4").contains("\"choices\"");
    assertThat(damask("replay", rest.toString()).out()).matches("same: [1-9]\\d* events\n");
  }

  @Test
  void a_changed_event_is_found_with_its_position() throws IOException {
    String text = Files.readString(recording);
    assertThat(text).contains("\"started\", \"TASK-EFFECT\"");
    Files.writeString(
        recording, text.replaceFirst("\"started\", \"TASK-EFFECT\"", "\"started\", \"OTHER\""));

    Shell shell = damask("replay", recording.toString());

    assertThat(shell.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(shell.out())
        .matches("(?s)diverged: event \\d+: expected .*OTHER.*, actual .*TASK-EFFECT.*\n");
  }

  @Test
  void a_choice_too_few_is_found_with_its_position() throws IOException {
    String text = Files.readString(recording);
    int first = text.indexOf("[\"token\"");
    int second = text.indexOf("[\"token\"", first + 1);
    Files.writeString(recording, text.substring(0, first) + text.substring(second));

    Shell shell = damask("replay", recording.toString());

    assertThat(shell.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(shell.out()).matches("(?s)diverged: .*(choice|event) \\d+.*");
  }

  @Test
  void another_workflow_is_another_program() throws IOException {
    String text = Files.readString(recording);
    Files.writeString(recording, text.replace("{a: 2}", "{a: 3}"));

    Shell shell = damask("replay", recording.toString());

    assertThat(shell.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(shell.out()).startsWith("diverged: the recording belongs to program ");
  }

  @Test
  void choices_can_be_repeated_on_another_run_of_the_same_document() throws IOException {
    Path document = Files.writeString(folder.resolve("race.yaml"), DOCUMENT);
    Path events = Files.writeString(folder.resolve("events.yaml"), EVENTS);
    Path again = folder.resolve("again.json");

    Shell shell =
        damask(
            "run",
            document.toString(),
            "--events=" + events,
            "--scheduler=replay:" + recording,
            "--trace-out=" + again);

    assertThat(shell.exit()).as(shell.err()).isZero();
    assertThat(lines(again, "choices")).isEqualTo(lines(recording, "choices"));
    assertThat(withoutTimes(lines(again, "events")))
        .isEqualTo(withoutTimes(lines(recording, "events")));
    assertThat(damask("replay", again.toString()).exit()).isZero();
  }

  /// Two runs happen at two times.
  private static String withoutTimes(String events) {
    return events.replaceAll("(?m)^(\\[\\d+), \\d+,", "$1,");
  }

  @Test
  void choices_of_another_workflow_are_refused() throws IOException {
    Path document =
        Files.writeString(
            folder.resolve("other.yaml"),
            "{workflow: o, do: {par: [{set: {a: 1}}, {set: {b: 1}}, {set: {c: 1}}]}}");

    Shell shell = damask("run", document.toString(), "--scheduler=replay:" + recording);

    assertThat(shell.exit()).isEqualTo(Exit.INVALID);
    assertThat(shell.err()).containsPattern("the run diverged at choice \\d+: expected ");
  }

  @Test
  void what_is_no_recording_is_refused_in_one_line() throws IOException {
    String text = Files.readString(recording);
    for (String wrong :
        new String[] {
          "",
          "{",
          "[]",
          "{\"recording\": 2}",
          "{\"recording\": 1}",
          text.substring(0, text.length() / 2),
          text.replace("\"deterministic\"", "1")
              .replace("\"clock\": ", "\"clock\": \"x\", \"o\": "),
          text.replace("[\"token\"", "[\"taken\""),
          "[".repeat(100_000)
        }) {
      Files.writeString(recording, wrong);

      Shell shell = damask("replay", recording.toString());

      assertThat(shell.exit()).as(shell.err() + shell.out()).isEqualTo(Exit.INVALID);
      assertThat(shell.err().lines()).as(shell.err()).hasSize(1);
      assertThat(shell.err()).startsWith("damask: " + recording);
    }
  }

  private static String lines(Path file, String key) throws IOException {
    String text = Files.readString(file);
    int from = text.indexOf("\"" + key + "\": [");
    return text.substring(from, text.indexOf("]]", from));
  }
}
