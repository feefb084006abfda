package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// How far `damask check` searches, and whether what it finds can be played.
@Timeout(120)
final class CheckSearchTest {
  @TempDir Path folder;

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("w.yaml"), text);
  }

  /// Checks a document, writes its counterexample as a scenario, and plays the scenario.
  private String played(String text) throws IOException {
    Path scenario = folder.resolve("s.json");

    Shell check = damask("check", write(text).toString(), "--scenario", scenario.toString());
    assertThat(check.exit()).as(check.out() + check.err()).isEqualTo(Exit.DIFFERENT);
    assertThat(scenario).as(check.err()).exists();
    Shell test = damask("test", scenario.toString());

    assertThat(test.exit()).as(test.out() + Files.readString(scenario)).isZero();
    return check.out() + Files.readString(scenario);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        - mi: m
          count: 3
          do:
            - task: a
            - task: b
            - xor:
                - {when: n > 3 && n < 2, do: {take: gone}}
                - else: {task: c}
        """,
        """
        - mi: m
          count: 3
          do:
            - xor:
                - {when: k > 3 && k < 2, do: {task: a}}
                - else: {task: b}
            - take: one
            - task: c
        """,
        """
        - mi: m
          count: 2
          do:
            - mi: k
              count: 2
              do:
                - xor:
                    - {when: k > 3 && k < 2, do: {task: a}}
                    - else: {task: b}
                - task: d
            - xor:
                - {when: k > 3 && k < 2, do: {take: gone}}
                - else: {task: e}
        """,
        """
        - par:
            - mi: m
              count: 3
              do: [{task: a}, {task: b}, {task: c}]
            - - task: d
              - xor:
                  - {when: n > 3 && n < 2, do: {take: gone}}
                  - else: {task: e}
        """
      })
  void counterexamples_of_symmetric_instances_can_be_played(String body) throws IOException {
    String head = "workflow: w\nplaces: {gone: {}, one: {init: 1}}\ndo:\n";

    played(head + body.indent(2));
  }

  @Test
  void a_race_that_needs_a_long_pause_is_found_and_played() throws IOException {
    String told =
        played(
            """
            workflow: race
            places: {first: {}, never: {}}
            do:
              par:
                - defer:
                    - {after: PT15S, do: {emit: first}}
                - - task: a
                  - defer:
                      - {take: first, do: {take: never}}
                      - {after: PT10S, do: {skip: true}}
            """);

    // Task a must take longer than five seconds, so that the timer of 15 seconds fires first.
    assertThat(told).contains("\"advance\": \"PT5.001S\"", "\"advance\": \"PT9.999S\"");
  }

  @Test
  void a_race_that_depends_on_the_retries_of_a_task_is_found_and_played() throws IOException {
    played(
        """
        workflow: race
        places: {first: {}, never: {}}
        do:
          par:
            - defer:
                - {after: PT20S, do: {emit: first}}
            - cancel: r
              do: {task: a, retry: {max: 3, delay: PT2S}}
              catch:
                defer:
                  - {take: first, do: {take: never}}
                  - {after: PT10S, do: {skip: true}}
        """);
  }

  @Test
  void a_race_that_no_pause_allows_is_not_reported() throws IOException {
    Shell check =
        damask(
            "check",
            write(
                    """
                    workflow: race
                    places: {first: {}, never: {}}
                    do:
                      par:
                        - defer:
                            - {after: PT15S, do: {emit: first}}
                        - defer:
                            - {take: first, do: {take: never}}
                            - {after: PT10S, do: {skip: true}}
                    """)
                .toString());

    assertThat(check.exit()).isEqualTo(Exit.UNKNOWN);
    assertThat(check.out())
        .contains("unknown", "no pauses between the events make the timers fire");
  }

  @Test
  void the_tokens_of_a_place_that_nothing_reads_do_not_tell_states_apart() throws IOException {
    String text =
        """
        workflow: w
        places: {seen: {}}
        definitions:
          f:
            places: {local: {}}
            do: {loop: {while: n > 3}, do: [{task: b}, {emit: local}]}
        do:
          - loop: {while: n > 3}
            do: [{task: a}, {emit: seen}]
          - call: f
        """;

    Shell check = damask("check", write(text).toString());

    assertThat(check.exit()).as(check.out() + check.err()).isZero();
    assertThat(check.out()).contains("sound");
  }

  @Test
  void a_place_that_something_reads_still_counts_its_tokens() throws IOException {
    String text =
        """
        workflow: w
        places: {seen: {}}
        do:
          - loop: {while: n > 3}
            do: [{task: a}, {emit: seen}]
          - defer: [{test: seen, do: {task: b}}, {expired: {task: c}}]
        """;

    Shell check = damask("check", write(text).toString());

    assertThat(check.exit()).isEqualTo(Exit.UNKNOWN);
    assertThat(check.out()).contains("without bound");
  }

  @Test
  void an_acyclic_graph_with_many_tokens_is_bounded_by_its_structure() throws IOException {
    String text =
        """
        workflow: w
        do:
          graph:
            start: {copies: 80, to: a}
            nodes:
              a: {then: {xor: [{when: n > 3, to: b}, {else: b}]}}
              b: {join: {kof: 80, from: [a], block: true}, then: end}
        """;

    Shell check = damask("check", write(text).toString(), "--reduction", "always");

    assertThat(check.out()).doesNotContain("tokens exceed", "have a bound");
  }

  @Test
  void an_acyclic_graph_is_decided_by_the_reduced_search() throws IOException {
    String text =
        """
        workflow: w
        places: {go: {external: true}}
        do:
          graph:
            start: {and: [a, b, c]}
            nodes:
              a: {do: {seq: [{task: a1}, {task: a2}]}, then: z}
              b: {do: {seq: [{task: b1}, {task: b2}]}, then: z}
              c: {do: {seq: [{task: c1}, {task: c2}]}, then: z}
              z: {join: {or: [a, b, c]}, do: {take: go}, then: end}
        """;

    Shell check = damask("check", write(text).toString(), "--reduction", "always");

    assertThat(check.exit()).as(check.out() + check.err()).isZero();
  }

  @Test
  void a_graph_whose_cycle_multiplies_tokens_is_not_called_bounded() throws IOException {
    String text =
        """
        workflow: w
        do:
          graph:
            start: a
            nodes:
              a: {do: {task: a}, then: {or: [{when: n > 3, to: b}, {else: c}]}}
              b: {do: {task: b}, then: {and: [a, c]}}
              c: {join: {or: [a, b]}, do: {task: c}, then: end}
        """;

    Shell check = damask("check", write(text).toString());

    assertThat(check.exit()).isEqualTo(Exit.UNKNOWN);
  }

  @Test
  void a_large_set_of_instances_is_no_unbounded_growth() throws IOException {
    String text =
        """
        workflow: w
        do:
          - mi: m
            count: 90
            need: 1
            rest: cancel
            do: {task: a}
        """;

    Shell check = damask("check", write(text).toString());

    assertThat(check.exit()).as(check.out() + check.err()).isZero();
  }

  @Test
  void a_deadlock_among_very_many_states_is_found_by_walking() throws IOException {
    StringBuilder text = new StringBuilder("workflow: forks\nplaces:\n");
    int count = 12;
    for (int i = 0; i < count; i++) {
      text.append("  f%d: {init: 1}\n".formatted(i));
    }
    text.append("do:\n  par:\n");
    for (int i = 0; i < count; i++) {
      int next = (i + 1) % count;
      text.append(
          ("    - [{task: a%d}, {take: f%d}, {task: b%d}, {take: f%d},"
                  + " {task: c%d}, {emit: f%d}, {emit: f%d}]\n")
              .formatted(i, i, i, next, i, i, next));
    }
    Path document = write(text.toString());

    Shell first = damask("check", document.toString(), "--json", "--seconds", "60");
    Shell second = damask("check", document.toString(), "--json", "--seconds", "60");

    assertThat(first.exit()).as(first.err()).isEqualTo(Exit.DIFFERENT);
    assertThat(first.out()).contains("\"verdict\": \"unsound\"");
    assertThat(trace(second)).isEqualTo(trace(first));
  }

  private static String trace(Shell shell) {
    return shell.out().replaceAll("\"(millis|ms)\": *[0-9]+", "");
  }

  @Test
  void a_bound_of_depth_leaves_longer_runs_open() throws IOException {
    String document =
        write("workflow: w\ndo: [{task: a}, {task: b}, {take: p}]\nplaces: {p: {}}\n").toString();

    Shell shallow = damask("check", document, "--depth", "3");
    Shell deep = damask("check", document, "--depth", "30");
    Shell wrong = damask("check", document, "--depth", "0");

    assertThat(shallow.exit()).isEqualTo(Exit.UNKNOWN);
    assertThat(shallow.out()).contains("unknown: runs of more than 3 steps were not searched");
    assertThat(deep.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(wrong.exit()).isEqualTo(Exit.INVALID);
    assertThat(wrong.err()).contains("--depth must be at least 1");
  }

  @Test
  void runs_that_end_within_the_depth_are_proved() throws IOException {
    String document = write("workflow: w\ndo: [{task: a}, {task: b}]\n").toString();

    assertThat(damask("check", document, "--depth", "30").exit()).isZero();
    assertThat(damask("check", document, "--depth", "2").exit()).isEqualTo(Exit.UNKNOWN);
  }
}
