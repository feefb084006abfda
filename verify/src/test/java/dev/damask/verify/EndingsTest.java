package dev.damask.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.document.DocumentReader;
import dev.damask.event.Status;
import dev.damask.program.Program;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Ends other than `completed`: which of them are errors, which are warnings, and which are meant.
final class EndingsTest {
  private static final Options MAY_BE_CANCELLED = mayEnd(Status.CANCELLED);

  private static Options mayEnd(Status status) {
    return Options.DEFAULT.withAssertions(List.of(new Assertion.MayEnd(Set.of(status))));
  }

  private static Verdict check(String body) {
    return check(body, Options.DEFAULT);
  }

  private static Verdict check(String body, Options options) {
    String text = body.contains("\ndo:") ? body : "do: " + body;
    return Verifier.check(program("workflow: w\n" + text + "\n"), options);
  }

  private static Program program(String text) {
    return Compiler.compile(new DocumentReader().read("w.yaml", text).workflow());
  }

  private static Violation error(Verdict verdict) {
    assertThat(verdict).as(verdict.toString()).isInstanceOf(Verdict.Refuted.class);
    return ((Verdict.Refuted) verdict).violations().getFirst();
  }

  private static Ending endError(Verdict verdict) {
    Violation violation =
        ((Verdict.Refuted) verdict)
            .violations().stream()
                .filter(each -> each.property() == Property.PROPER_COMPLETION)
                .findFirst()
                .orElseThrow();
    assertThat(violation.sentence()).contains("mayEnd");
    return verdict.endings().errors().getFirst();
  }

  /// The one warning of a sound workflow.
  private static Endings.Warning warning(Verdict verdict) {
    assertThat(verdict.isProved()).as(verdict.toString()).isTrue();
    assertThat(verdict.endings().warnings()).hasSize(1);
    return verdict.endings().warnings().getFirst();
  }

  @Test
  void a_kill_does_not_excuse_a_token_that_is_lost_elsewhere() {
    // The kill of S has nothing to do with the join, which loses a branch and is given up.
    String lost =
        """
        do:
          - {cancel: S, do: {par: [{task: A}, [{task: B}, {kill: S, as: complete}]]}}
          - join: {need: 2}
            branches:
              - {cancel: R, do: [{task: C}, {xor: [{do: {kill: R}}, {do: {skip: true}}]}]}
              - {task: D}
        """;

    Verdict verdict = check("\n" + lost);

    assertThat(endError(verdict).cause()).isEqualTo(Ending.Cause.JOIN_GIVEN_UP);
    assertThat(error(verdict).counterexample().status()).isEqualTo("cancelled");
    Verdict allowed = check("\n" + lost, MAY_BE_CANCELLED);
    assertThat(allowed.isProved()).as(allowed.toString()).isTrue();
  }

  @Test
  void a_case_that_loses_its_last_token_is_an_error() {
    Verdict verdict = check("{cancel: R, do: {par: [{task: A}, [{task: B}, {kill: R}]]}}");

    assertThat(endError(verdict))
        .extracting(Ending::status, Ending::cause)
        .containsExactly(Status.CANCELLED, Ending.Cause.NO_TOKEN);
  }

  @Test
  void a_kill_under_a_condition_is_a_branch_that_was_written() {
    Verdict verdict =
        check(
            "{cancel: R, do: [{task: A},"
                + " {xor: [{when: n > 1, do: {kill: R}}, {else: {task: B}}]}]}");

    assertThat(endError(verdict).cause()).isEqualTo(Ending.Cause.NO_TOKEN);
  }

  @Test
  void a_kill_of_the_case_a_fail_and_a_failing_task_are_meant_and_named() {
    Verdict verdict =
        check(
            "[{task: A}, {cancel: R, do: {task: C}, catch: {skip: true}},"
                + " {xor: [{when: a, do: {kill: case}},"
                + " {when: b, do: {fail: refused}}, {else: {task: B}}]}]");

    assertThat(verdict.isProved()).as(verdict.toString()).isTrue();
    assertThat(verdict.endings().intended())
        .extracting(Ending::toString)
        .containsExactlyInAnyOrder(
            "failed where task A fails at do[0]",
            "failed where task B fails at do[2].xor[2]",
            "failed by 'fail: refused' at do[2].xor[1]",
            "cancelled by 'kill: case' at do[2].xor[0]");
  }

  @Test
  void the_packed_search_names_tasks_that_fail_the_case() {
    Verdict verdict = check("{par: [{task: A}, {task: B}]}");

    assertThat(verdict.statistics().engine()).isEqualTo("packed");
    assertThat(verdict.endings().intended())
        .extracting(Ending::toString)
        .containsExactlyInAnyOrder(
            "failed where task A fails at do.par[0]", "failed where task B fails at do.par[1]");
  }

  @Test
  void a_choice_without_else_is_a_warning_that_names_its_guards() {
    String choice = "{xor: [{when: a, do: {task: A}}, {when: b == 1, do: {task: B}}]}";

    Endings.Warning packed = warning(check(choice));
    Endings.Warning machine = warning(check("[" + choice + ", {take: p}]\nplaces: {p: {init: 1}}"));

    assertThat(packed.ending().cause()).isEqualTo(Ending.Cause.NO_BRANCH);
    assertThat(packed.data()).contains("'a'", "'b == 1'");
    assertThat(machine.data()).isEqualTo(packed.data());
    assertThat(check(choice, mayEnd(Status.FAILED)).endings().warnings()).isEmpty();
  }

  @Test
  void a_choice_whose_guards_are_constantly_false_is_an_error() {
    Verdict verdict =
        check("[{xor: [{when: true, do: {task: A}}]}, {xor: [{when: 1 > 2, do: {skip: true}}]}]");

    assertThat(endError(verdict).cause()).isEqualTo(Ending.Cause.NO_BRANCH);
  }

  @Test
  void a_choice_of_a_graph_without_else_is_a_warning() {
    Endings.Warning warning =
        warning(
            check(
                "{graph: {start: {xor: [{when: x, to: a}]}, nodes: {a: {do: {task: A}, then:"
                    + " {or: [{when: y, to: b}]}}, b: {do: {task: B}, then: end}}}}",
                Options.DEFAULT),
            2);

    assertThat(warning.data()).contains("'x'");
  }

  private static Endings.Warning warning(Verdict verdict, int count) {
    assertThat(verdict.isProved()).as(verdict.toString()).isTrue();
    assertThat(verdict.endings().warnings()).as(verdict.toString()).hasSize(count);
    return verdict.endings().warnings().getFirst();
  }

  @Test
  void a_join_with_too_few_selected_branches_is_a_warning() {
    Endings.Warning warning =
        warning(
            check(
                "{join: {need: 2}, branches: [{when: a, do: {task: A}}, {when: b, do: {task: B}},"
                    + " {task: C}]}"));

    assertThat(warning.ending().cause()).isEqualTo(Ending.Cause.JOIN_GIVEN_UP);
    assertThat(warning.data()).contains("'a'", "'b'");
  }

  @Test
  void a_failure_that_a_scope_catches_does_not_end_the_case() {
    Verdict verdict = check("{cancel: R, do: {xor: [{when: a, do: {task: A}}]}, catch: {task: B}}");

    assertThat(verdict.isProved()).isTrue();
    assertThat(verdict.endings().warnings()).isEmpty();
  }

  @Test
  void a_number_of_instances_outside_of_its_bounds_is_a_warning_or_an_error() {
    Endings.Warning warning =
        warning(check("{mi: m, count: size(items), min: 1, max: 3, do: {task: A}}"));
    Verdict constant = check("[{task: B}, {mi: m, count: 4, max: 3, do: {task: A}}]");

    assertThat(warning.ending().cause()).isEqualTo(Ending.Cause.MI_BOUNDS);
    assertThat(warning.data()).contains("size(items)", "1", "3");
    assertThat(endError(constant).cause()).isEqualTo(Ending.Cause.MI_BOUNDS);
  }

  @Test
  void a_merge_conflict_names_its_keys() {
    String merge = "{par: [%s, %s], merge: fail}";
    Verdict constant = check(merge.formatted("{set: {k: 1}}", "[{task: B}, {set: {k: 2}}]"));
    Endings.Warning warning =
        warning(check(merge.formatted("{set: {k: n}}", "{set: {k: 2, m: 1}}")));
    Verdict equal = check(merge.formatted("{set: {k: 1}}", "{set: {k: 1}}"));
    Verdict apart = check(merge.formatted("{set: {k: 1}}", "{task: A, result: r}"));

    assertThat(endError(constant).cause()).isEqualTo(Ending.Cause.MERGE_CONFLICT);
    assertThat(warning.ending().cause()).isEqualTo(Ending.Cause.MERGE_CONFLICT);
    assertThat(warning.data()).contains("'k'").doesNotContain("'m'");
    assertThat(equal.endings().warnings()).isEmpty();
    assertThat(apart.endings().warnings()).isEmpty();
  }

  @Test
  void two_results_of_unknown_keys_may_conflict() {
    Endings.Warning warning = warning(check("{par: [{task: A}, {task: B}], merge: fail}"));

    assertThat(warning.data()).contains("A", "B");
  }

  @Test
  void the_time_of_a_scope_without_a_handler_is_an_error() {
    Verdict verdict = check("{cancel: R, timeout: 5, do: {task: A}}");

    assertThat(endError(verdict))
        .extracting(Ending::status, Ending::cause)
        .containsExactly(Status.FAILED, Ending.Cause.TIMEOUT);
    assertThat(check("{cancel: R, timeout: 5, do: {task: A}}", mayEnd(Status.FAILED)).isProved())
        .isTrue();
    assertThat(check("{cancel: R, timeout: 5, onTimeout: {skip: true}, do: {task: A}}").isProved())
        .isTrue();
    assertThat(check("{task: A, timeout: 5}").isProved()).isTrue();
  }

  @Test
  void a_failure_that_is_undone_first_keeps_its_cause() {
    Verdict verdict =
        check(
            "{cancel: R, undo: true, timeout: 5,"
                + " do: [{task: A, undo: {task: U}}, {task: B}]}");

    assertThat(endError(verdict).cause()).isEqualTo(Ending.Cause.TIMEOUT);
  }

  @Test
  void a_node_that_no_arc_leads_to_is_dead() {
    Violation violation =
        error(
            check(
                "{graph: {start: a, nodes: {a: {do: {task: A}, then: end},"
                    + " b: {do: {task: B}, then: end}}}}"));

    assertThat(violation.property()).isEqualTo(Property.NO_DEAD_TASKS);
    assertThat(violation.where()).isEqualTo("do.graph.nodes.b.do");
  }

  @Test
  void a_task_behind_a_constant_condition_is_dead() {
    for (String guard : List.of("false", "1 > 2", "false && n > 0", "!true")) {
      String join =
          "{join: {need: sync},"
              + " branches: [{when: \"%s\", do: {task: A}}, {do: {task: B}, when: n}]}";
      String loop = "[{task: B}, {loop: {while: \"%s\"}, do: {task: A}}]";
      String choice = "{xor: [{when: \"%s\", do: {task: A}}, {else: {task: B}}]}";
      String graph =
          "{graph: {start: {or: [{when: \"%s\", to: a}, {else: b}]},"
              + " nodes: {a: {do: {task: A}, then: end}, b: {do: {task: B}, then: end}}}}";
      for (String form : List.of(join, loop, choice, graph)) {
        Violation violation = error(check(form.formatted(guard)));

        assertThat(violation.property()).as(form + guard).isEqualTo(Property.NO_DEAD_TASKS);
        assertThat(violation.sentence()).contains("task A");
      }
    }
  }

  @Test
  void a_task_that_only_a_failure_leads_to_is_not_dead() {
    assertThat(check("{cancel: R, do: {set: {n: 1}}, catch: {task: B}}").isProved()).isTrue();
  }

  @Test
  void recursion_without_a_bound_of_its_own_is_a_warning() {
    Verdict verdict =
        check(
            "\ndefinitions: {F: {xor: [{when: n > 0, do: {call: F}}, {else: {task: A}}]}}\n"
                + "do: {call: F}");

    assertThat(warning(verdict).ending().cause()).isEqualTo(Ending.Cause.LIMIT);
  }

  @Test
  void a_join_that_merges_one_branch_has_no_conflict() {
    for (int need : new int[] {0, 1}) {
      Verdict verdict =
          check(
              ("{join: {need: %d, rest: cancel, merge: fail},"
                      + " branches: [{set: {k: 1}}, {set: {k: 2}}]}")
                  .formatted(need));

      assertThat(verdict.isProved()).as(verdict.toString()).isTrue();
      assertThat(verdict.endings().warnings()).isEmpty();
    }
  }

  @Test
  void payloads_can_conflict() {
    String signals =
        """
        places: {p: {external: true}, q: {external: true}}
        do: {par: [{take: p}, {take: q}], merge: fail}
        """;
    assertThat(warning(check(signals)).data()).contains("signal p and signal q");
    String emissions =
        """

        do:
          - {emit: p, with: {k: 1}}
          - {emit: q, with: {k: 2, m: 1}}
          - {par: [{take: p}, {take: q}], merge: fail}
        """;
    assertThat(warning(check(emissions)).data()).isEqualTo("of key 'k'");
  }

  @Test
  void writes_inside_instances_do_not_conflict() {
    Verdict verdict =
        check("{par: [{mi: m, count: 2, do: {set: {k: 1}}}, {set: {k: 2}}], merge: fail}");

    assertThat(verdict.isProved()).as(verdict.toString()).isTrue();
    assertThat(verdict.endings().warnings()).isEmpty();
  }

  @Test
  void a_conflict_is_told_as_a_failed_case_at_its_join() {
    Verdict verdict = check("[{task: A}, {par: [{set: {k: 1 + 1}}, {set: {k: 3}}], merge: fail}]");

    Violation violation = error(verdict);
    assertThat(violation.where()).isEqualTo("do[1]");
    assertThat(violation.counterexample().status()).isEqualTo("failed");
    assertThat(violation.counterexample().end())
        .containsExactly("the case is failed with merge_conflict");
  }

  @Test
  void a_count_of_constants_is_a_constant() {
    Verdict verdict = check("{mi: m, count: 2 + 3, min: 1, max: 3, do: {task: A}}");

    assertThat(endError(verdict).cause()).isEqualTo(Ending.Cause.MI_BOUNDS);
    Verdict loop = check("{loop: {count: 2 - 2}, do: {task: A}}");
    assertThat(error(loop).property()).isEqualTo(Property.NO_DEAD_TASKS);
  }

  @Test
  void an_end_is_told_where_it_happens() {
    Verdict verdict = check("[{task: A}, {xor: [{when: 1 > 2, do: {task: B}}]}]");

    assertThat(((Verdict.Refuted) verdict).violations())
        .filteredOn(each -> each.property() == Property.PROPER_COMPLETION)
        .extracting(Violation::where)
        .containsExactly("do[1]");
  }

  @Test
  void an_end_that_the_nearest_timers_rule_out_is_found_further_on() {
    // The nearest way lets the scope time out before the shorter timer in it, which cannot be.
    Verdict verdict =
        check("{cancel: R, timeout: 5, do: [{defer: [{after: 3, do: {skip: true}}]}, {task: A}]}");

    assertThat(endError(verdict).cause()).isEqualTo(Ending.Cause.TIMEOUT);
    assertThat(error(verdict).counterexample().text()).contains("task A starts");
  }

  @Test
  void a_set_that_is_open_until_it_is_closed_is_added_to() {
    Verdict sound = check("{mi: m, count: 0, open: untilClosed, do: {task: A}}");
    assertThat(sound.isProved()).as(sound.toString()).isTrue();

    Verdict stuck = check("{mi: m, count: 0, open: untilClosed, do: {take: never}}");
    assertThat(error(stuck).property()).isEqualTo(Property.NO_DEADLOCK);
  }
}
