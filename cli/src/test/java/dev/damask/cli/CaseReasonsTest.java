package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What the commands print about why a case ended, and about executions by their numbers.
@Timeout(120)
final class CaseReasonsTest {
  private static final String SHORT =
      """
      workflow: short
      do:
        - task: first
        - join: {need: 2, rest: drain}
          branches:
            - {cancel: r, do: {task: A}}
            - {cancel: s, do: {kill: s}}
      """;

  private static final String GIVEN_UP = "the join at do[1] needs 2 branches, 1 left";

  private static final String LEFTOVER =
      """
      workflow: leftover
      do:
        join: {need: 1, rest: drain}
        branches: [{task: A}, {task: B}]
      """;

  private static final String ROUNDS =
      """
      workflow: rounds
      do:
        loop: {count: 2}
        do: {par: [{task: A}, {task: B}]}
      """;

  @TempDir Path folder;

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private String store() {
    return folder.resolve("store").toString();
  }

  private Shell onStore(String command, String... words) {
    return Shell.onStore(store(), command, words);
  }

  @Test
  void a_join_that_is_given_up_is_printed_with_its_place_and_both_numbers() throws IOException {
    String document = file("short.yaml", SHORT);
    String events = file("events.yaml", "[{done: first}, {done: A}]");

    Shell text = damask("run", document, "--events", events);
    assertThat(text.exit()).as(text.err()).isEqualTo(Exit.CANCELLED);
    assertThat(text.out())
        .startsWith("short-1: cancelled (")
        .contains("\n  cancelled case, reason join_unfulfillable: " + GIVEN_UP + "\n");

    Map<?, ?> json = damask("run", document, "--events", events, "--json").json().getLast();
    assertThat(json.get("status")).isEqualTo("cancelled");
    assertThat(json.get("reason")).isEqualTo("join_unfulfillable");
    assertThat(json.get("detail")).isEqualTo(GIVEN_UP);
  }

  @Test
  void a_join_that_is_given_up_on_a_store_is_shown_with_its_place_and_both_numbers()
      throws IOException {
    onStore("run", file("short.yaml", SHORT), "--id", "s-1");
    onStore("complete", "s-1", "first");

    Shell ended = onStore("complete", "s-1", "A");
    assertThat(ended.out())
        .isEqualTo("s-1: accepted; cancelled (join_unfulfillable: " + GIVEN_UP + ")\n");
    assertThat(onStore("show", "s-1").out())
        .contains("\n  cancelled case, reason join_unfulfillable: " + GIVEN_UP + "\n");
    Map<?, ?> json = onStore("show", "s-1", "--json").json().getFirst();
    assertThat(json.get("reason"))
        .isEqualTo("cancelled case, reason join_unfulfillable: " + GIVEN_UP);
  }

  @Test
  void a_late_failure_is_printed_by_run_and_show() throws IOException {
    String document = file("leftover.yaml", LEFTOVER);
    String events = file("events.yaml", "[{done: A}, {fail: B, reason: broken}]");

    Shell text = damask("run", document, "--events", events);
    assertThat(text.exit()).as(text.err()).isZero();
    assertThat(text.out())
        .startsWith("leftover-1: completed (")
        .contains("\n  late failure broken, task B at ");
    Map<?, ?> json = damask("run", document, "--events", events, "--json").json().getLast();
    assertThat(json.get("reason")).isNull();
    assertThat(reasons(json)).containsExactly("broken");

    onStore("run", document, "--id", "l-1", "--events", events);
    assertThat(onStore("show", "l-1").out()).contains("\n  late failure ", "broken");
    assertThat(reasons(onStore("show", "l-1", "--json").json().getFirst()))
        .containsExactly("broken");
  }

  private static List<Object> reasons(Map<?, ?> json) {
    return ((List<?>) Objects.requireNonNull(json.get("lateFailures")))
        .stream().<Object>map(each -> ((Map<?, ?>) each).get("reason")).toList();
  }

  @Test
  void executions_are_listed_and_answered_by_their_numbers_on_a_store() throws IOException {
    onStore("run", file("rounds.yaml", ROUNDS), "--id", "r-1");
    assertThat(onStore("complete", "r-1", "A#1").out())
        .isEqualTo("r-1: accepted; waiting for task B\n");
    assertThat(onStore("complete", "r-1", "B#1").out())
        .isEqualTo("r-1: accepted; waiting for task A#2, task B#2\n");
    Map<?, ?> json = onStore("show", "r-1", "--json").json().getFirst();
    assertThat((List<?>) json.get("tasks"))
        .extracting(
            each -> ((Map<?, ?>) each).get("task"), each -> ((Map<?, ?>) each).get("execution"))
        .containsExactly(
            org.assertj.core.api.Assertions.tuple("A#2", 2L),
            org.assertj.core.api.Assertions.tuple("B#2", 2L));

    assertThat(onStore("complete", "r-1", "B#1").exit()).isNotZero();
    assertThat(onStore("fail", "r-1", "B#2", "--reason", "broken").out())
        .startsWith("r-1: accepted; failed");
  }

  @Test
  void events_on_a_store_address_executions_by_their_numbers() throws IOException {
    String events =
        file("events.yaml", "[{done: 'B#1'}, {done: 'A#1'}, {done: 'B#2'}, {done: 'A#2'}]");

    Shell run = onStore("run", file("rounds.yaml", ROUNDS), "--id", "r-1", "--events", events);

    assertThat(run.exit()).as(run.err()).isZero();
    assertThat(run.out()).startsWith("r-1: completed (");
  }
}
