package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `damask run --events`: when events are played, how time passes, and which tasks need an event.
final class RunEventsTest {
  @TempDir Path folder;

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private String store() {
    return folder.resolve("store").toString();
  }

  @Test
  void tasks_that_are_not_reached_need_no_handler() throws IOException {
    String document =
        file(
            "a.yaml",
            """
            workflow: a
            context: {n: 1}
            do:
              - xor:
                  - {when: n > 5, do: {task: B}}
                  - {else: {task: A}}
            """);
    String events = file("e.yaml", "[{done: A}]");

    Shell avoided = damask("run", document, "--events", events);
    Shell reached = damask("run", document, "--events", events, "--context", "{\"n\": 7}");
    Shell kept =
        damask("run", document, "--events", events, "--context", "{\"n\": 7}", "--store", store());

    assertThat(avoided.exit()).as(avoided.err()).isZero();
    assertThat(reached.exit()).isEqualTo(Exit.INVALID);
    assertThat(reached.err())
        .isEqualTo(
            "damask: "
                + document
                + ": the case has reached task B#1, but task B has no handler and no event; add"
                + " events such as 'done: B' in a file with --events\n");
    assertThat(kept.exit()).isEqualTo(Exit.WAITING);
  }

  @Test
  void with_events_and_without_a_store_time_is_virtual() throws IOException {
    String document =
        file(
            "a.yaml",
            """
            workflow: a
            places: {x: {external: true}}
            do:
              - {task: nap, effect: {type: sleep, with: {for: P30D}}}
              - defer:
                  - {take: x, do: {set: {early: true}}}
                  - {after: PT1H, do: {set: {late: true}}}
              - {task: B, retry: {max: 2, delay: P1D}}
            """);
    String before = file("b.yaml", "[{advance: P30D}, {advance: PT59M}, {signal: x}, {done: B}]");
    String after = file("a2.yaml", "[{fail: B, reason: busy}, {done: B}]");

    long begin = System.nanoTime();
    Shell early = damask("run", document, "--events", before);
    Shell late = damask("run", document, "--events", after);

    assertThat(early.exit()).as(early.err()).isZero();
    assertThat(early.out()).contains("  early: true").doesNotContain("late");
    assertThat(late.exit()).as(late.err()).isZero();
    assertThat(late.out()).contains("  late: true").doesNotContain("early");
    assertThat(System.nanoTime() - begin).isLessThan(60_000_000_000L);
  }

  @Test
  void on_a_store_advance_is_refused() throws IOException {
    String document = file("a.yaml", "{workflow: a, do: {task: A}}");
    String events = file("e.yaml", "[{done: A}, {advance: PT1S}]");

    Shell shell = damask("run", document, "--events", events, "--store", store());

    assertThat(shell.exit()).isEqualTo(Exit.INVALID);
    assertThat(shell.err())
        .contains(
            "e.yaml: event 2, advance PT1S: time cannot be advanced in a store; remove"
                + " the event, or run without --store");
    assertThat(folder.resolve("store")).doesNotExist();
  }

  @Test
  void advance_lets_time_pass_before_the_next_event() throws IOException {
    String document =
        file(
            "a.yaml",
            """
            workflow: a
            places: {x: {external: true}}
            do:
              - defer:
                  - {take: x, do: {fail: early}}
                  - {after: 0.05, do: {set: {late: true}}}
            """);
    String events = file("e.yaml", "[{advance: 0.2}, {signal: x}]");

    Shell shell = damask("run", document, "--events", events);

    assertThat(shell.exit()).isZero();
    assertThat(shell.out()).contains("  late: true");
  }

  @Test
  void an_event_waits_for_a_task_behind_a_timer() throws IOException {
    String document =
        file(
            "a.yaml",
            """
            workflow: a
            places: {x: {external: true}}
            do:
              - defer:
                  - {take: x, do: {fail: early}}
                  - {after: 0.1, do: {task: B}}
            """);
    String events = file("e.yaml", "[{done: B, set: {k: 1}}]");

    Shell shell = damask("run", document, "--events", events);

    assertThat(shell.out()).startsWith("a-1: completed").contains("  k: 1");
  }

  @Test
  void a_retry_waits_for_its_delay_before_the_next_event_is_played() throws IOException {
    String document = file("a.yaml", "{workflow: a, do: {task: A, retry: {max: 2, delay: 0.05}}}");
    String events = file("e.yaml", "[{fail: A, reason: busy}, {done: A}, {cancel: case}]");

    Shell shell = damask("run", document, "--events", events);

    assertThat(shell.exit()).isZero();
    assertThat(shell.out()).startsWith("a-1: completed").contains("1 effect)");
  }

  @Test
  void an_event_the_case_does_not_take_is_mentioned() throws IOException {
    String document = file("a.yaml", "{workflow: a, do: [{task: A}]}");
    String events = file("e.yaml", "[{signal: nowhere}, {done: A}]");

    Shell shell = damask("run", document, "--events", events);

    assertThat(shell.exit()).isZero();
    assertThat(shell.err()).isEqualTo("a: event 1, signal nowhere: was rejected by the case\n");
  }
}
