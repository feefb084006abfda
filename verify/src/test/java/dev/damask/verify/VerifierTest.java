package dev.damask.verify;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.anyOf;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.emit;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.graph;
import static dev.damask.term.Flow.holding;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.node;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.to;
import static dev.damask.term.Flow.toAll;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Flow.xor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.compile.Compiler;
import dev.damask.event.Status;
import dev.damask.task.Guard;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.WorkflowDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class VerifierTest {
  private static final Guard GUARD = Guard.named("n > 0", context -> true);

  private static Violation refuted(Verdict verdict) {
    assertThat(verdict).isInstanceOf(Verdict.Refuted.class);
    return ((Verdict.Refuted) verdict).violations().getFirst();
  }

  @Test
  void the_order_of_the_readme_is_sound() {
    WorkflowDefinition order =
        workflow(
            "order",
            par(effect("charge").undo(effect("refund")), effect("reserve").undo(effect("release"))),
            defer(
                on("approved", effect("ship")),
                on("rejected", fail("rejected")),
                after(Duration.ofDays(2), fail("no decision"))));

    Verdict verdict = Verifier.check(order);

    assertThat(verdict).as(verdict.toString()).isInstanceOf(Verdict.Proved.class);
    assertThat(((Verdict.Proved) verdict).scope()).isEqualTo(Verdict.Scope.FULL);
  }

  @Test
  void guards_are_free_choices_and_the_verdict_says_so() {
    Verdict verdict =
        Verifier.check(workflow("w", xor(when(GUARD, effect("A")), otherwise(effect("B")))));

    assertThat(verdict).isInstanceOf(Verdict.Proved.class);
    assertThat(((Verdict.Proved) verdict).scope()).isEqualTo(Verdict.Scope.CONTROL_FLOW);
  }

  @Test
  void waiting_for_a_place_nobody_marks_is_a_deadlock_with_a_shortest_trace() {
    Violation violation =
        refuted(Verifier.check(workflow("w", effect("A"), anyOf(effect("B"), take("p")))));

    assertThat(violation.property()).isEqualTo(Property.NO_DEADLOCK);
    assertThat(violation.counterexample().isShortest()).isTrue();
    assertThat(violation.counterexample().text())
        .contains("task A is done", "branch 1 is taken", "which can never be marked");
    assertThat(violation.counterexample().events())
        .containsExactly(Map.of("start", true), Map.of("done", "A"));
    assertThat(violation.counterexample().marks()).contains("do[0]", "do[1].xor[1]");
  }

  @Test
  void a_counterexample_leads_the_real_machine_into_the_same_state() {
    var program =
        Compiler.compile(
            workflow("w", par(seq(effect("A"), take("p")), seq(effect("B"), effect("C")))));

    Violation violation = refuted(Verifier.check(program));
    CounterexampleReplay.End end =
        CounterexampleReplay.follow(program, Options.DEFAULT, violation.counterexample());

    assertThat(end.state().status()).isEqualTo(Status.DEADLOCKED);
  }

  @Test
  void two_sections_that_ask_for_two_places_in_opposite_order_can_block_each_other() {
    WorkflowDefinition workflow =
        workflow(
                "w",
                par(
                    holding(
                        "a", "x", task("s", context -> context), holding("b", "y", effect("A"))),
                    holding(
                        "c", "y", task("t", context -> context), holding("d", "x", effect("B")))))
            .withPlaces(Place.mutex("x"), Place.mutex("y"));

    Violation violation = refuted(Verifier.check(workflow));

    assertThat(violation.property()).isEqualTo(Property.NO_DEADLOCK);
  }

  @Test
  void a_loop_without_a_way_out_is_a_livelock() {
    Guard always = Guard.named("true", context -> true);

    Violation violation =
        refuted(Verifier.check(workflow("w", repeatWhile(always, effect("A")), effect("B"))));

    assertThat(violation.property()).isEqualTo(Property.NO_LIVELOCK);
    assertThat(violation.counterexample().text())
        .isEqualToNormalizingNewlines(
            """
               1  the loop repeats at do[0]
               2  task A starts
               3  task A is done
               4  the loop repeats at do[0]
               => then again from step 2, without an end
               => the case is running
            """);
  }

  @Test
  void a_task_behind_a_guard_that_is_never_true_is_dead() {
    Guard never = Guard.named("false", context -> false);

    Violation violation =
        refuted(
            Verifier.check(workflow("w", xor(when(never, effect("A")), otherwise(effect("B"))))));

    assertThat(violation.property()).isEqualTo(Property.NO_DEAD_TASKS);
    assertThat(violation.where()).isEqualTo("do.xor[0]");
  }

  @Test
  void a_graph_that_makes_more_tokens_each_round_has_no_bound() {
    WorkflowDefinition workflow =
        workflow(
            "w",
            graph(
                to("a"),
                node("a", effect("A"), toAll("b", "c")),
                node(
                    "b",
                    effect("B"),
                    new dev.damask.term.Split.Xor(
                        List.of(
                            new dev.damask.term.Split.Arc(null, false, "a"),
                            new dev.damask.term.Split.Arc(null, false, "end")))),
                node("c", effect("C"), to("end"))));

    Violation violation = refuted(Verifier.check(workflow));

    assertThat(violation.property()).isEqualTo(Property.BOUNDED);
    assertThat(violation.counterexample().text())
        .isEqualToNormalizingNewlines(
            """
               1  task A is done
               2  task B is done
               3  node b goes to a
               => then again from step 1, each time with more tokens
               => the number of tokens can grow without bound
            """);
  }

  @Test
  void an_and_join_after_a_choice_is_a_deadlock() {
    WorkflowDefinition workflow =
        workflow(
            "w",
            graph(
                dev.damask.term.Flow.toFirst(
                    dev.damask.term.Flow.arc(GUARD, "a"), dev.damask.term.Flow.otherwiseTo("b")),
                node("a", effect("A"), to("c")),
                node("b", effect("B"), to("c")),
                node(
                    "c",
                    new Node.Join.And(Map.of("a", 1, "b", 1), false),
                    effect("C"),
                    to("end"))));

    Violation violation = refuted(Verifier.check(workflow));
    assertThat(violation.property()).isEqualTo(Property.NO_DEADLOCK);
    assertThat(violation.where()).isEqualTo("do.graph.nodes.c");
    assertThat(violation.counterexample().stands()).containsExactly("do.graph.nodes.c");
    assertThat(violation.counterexample().text()).contains("1  the start goes to a");
  }

  @Test
  void a_split_of_a_graph_names_its_node_and_all_its_targets() {
    WorkflowDefinition workflow =
        workflow(
            "w",
            graph(
                to("s"),
                node(
                    "s",
                    effect("S"),
                    new dev.damask.term.Split.Or(
                        List.of(
                            new dev.damask.term.Split.Arc(GUARD, false, "a"),
                            new dev.damask.term.Split.Arc(GUARD, false, "b")))),
                node("a", effect("A"), to("c")),
                node("b", take("never"), to("c")),
                node("c", effect("C"), to("end"))));

    Violation violation = refuted(Verifier.check(workflow));

    assertThat(violation.counterexample().text())
        .containsAnyOf("node s goes to b\n", "node s goes to a, b\n");
  }

  @Test
  void handlers_and_time_outs_are_part_of_what_can_happen() {
    ScopeOptions options =
        new ScopeOptions(Duration.ofSeconds(5), effect("late"), take("never"), false, null);
    WorkflowDefinition workflow = workflow("w", scope("R", options, effect("A")), effect("B"));

    Violation violation = refuted(Verifier.check(workflow));
    Verdict calm = Verifier.check(workflow, Options.DEFAULT.withoutFailures());

    assertThat(violation.property()).isEqualTo(Property.NO_DEADLOCK);
    assertThat(violation.counterexample().text()).contains("task A fails");
    assertThat(calm.isProved()).as(calm.toString()).isTrue();
  }

  @Test
  void a_signal_that_comes_once_does_not_serve_two() {
    WorkflowDefinition workflow =
        workflow("w", defer(on("go", effect("A"))), defer(on("go", effect("B"))));

    assertThat(Verifier.check(workflow).isProved()).isTrue();
    Verdict once = Verifier.check(workflow, Options.DEFAULT.withSignals(Options.Signals.ONCE));

    assertThat(refuted(once).property()).isEqualTo(Property.NO_DEADLOCK);
  }

  @Test
  void a_bound_that_is_reached_is_never_called_sound() {
    WorkflowDefinition workflow =
        workflow("w", par(seq(effect("A"), take("x")), seq(emit("x"), effect("B"))));

    Verdict verdict = Verifier.check(workflow, Options.DEFAULT.withStates(3));
    Verdict stopped =
        Verifier.check(
            workflow("w", instances("m", InstancePolicy.of(RandomTerms.free()), effect("A"))));

    assertThat(verdict).isInstanceOf(Verdict.Bounded.class);
    assertThat(verdict.exitCode()).isEqualTo(3);
    assertThat(stopped).isInstanceOf(Verdict.Bounded.class);
  }

  @Test
  void the_assertion_for_tests_shows_the_counterexample() {
    assertThatThrownBy(() -> Soundness.assertSound(workflow("w", effect("A"), take("p"))))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("task A is done");
    Soundness.assertSound(workflow("w", effect("A"), effect("B")));
  }

  @Test
  void a_recursion_up_to_the_limit_of_calls_is_shown_once() {
    WorkflowDefinition workflow =
        Flow.workflow("w", Flow.effect("B"), Flow.call("F"))
            .withDefinitions(Flow.definition("F", Flow.effect("A"), Flow.call("F")));

    Verdict verdict = Verifier.check(Compiler.compile(workflow), Options.DEFAULT);

    Counterexample trace = refuted(verdict).counterexample();
    assertThat(trace.lines().stream().map(Counterexample.Line::text))
        .containsExactly(
            "task B starts",
            "task B is done",
            "task A starts",
            "task A is done",
            "then again from step 3, 49 more times, up to step 102");
    assertThat(trace.steps().stream().filter(Counterexample.Step::isShown)).hasSize(102);
  }
}
