package dev.damask.verify;

import static dev.damask.term.Flow.complete;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.emit;
import static dev.damask.term.Flow.expired;
import static dev.damask.term.Flow.graph;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.node;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.taking;
import static dev.damask.term.Flow.takingAll;
import static dev.damask.term.Flow.to;
import static dev.damask.term.Flow.toAll;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.term.JoinPolicy;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The checker sees what joins and waits do when a stuck branch can be freed.
final class ArrivalVerdictsTest {
  private static Violation refuted(WorkflowDefinition workflow) {
    Verdict verdict = Verifier.check(workflow);
    assertThat(verdict).as(verdict.toString()).isInstanceOf(Verdict.Refuted.class);
    return ((Verdict.Refuted) verdict).violations().getFirst();
  }

  /// An OR-join over a task and a region that is stuck until it is completed from elsewhere. What
  /// follows the join takes the one token there is, so a second firing would be a deadlock.
  private static WorkflowDefinition orJoin(Term freeing) {
    return workflow(
            "w",
            graph(
                toAll("p", "q", "k"),
                node("p", effect("A"), to("j")),
                node("q", scope("r", take("nowhere")), to("j")),
                node("k", seq(effect("K"), freeing), to("end")),
                node("j", new Node.Join.Or(List.of("p", "q"), false), take("once"), to("end"))))
        .withPlaces(Place.mutex("once"));
  }

  @Test
  void an_or_join_that_waits_for_a_branch_that_is_freed_fires_once() {
    assertThat(Verifier.check(orJoin(complete("r"))).isProved()).isTrue();
  }

  @Test
  void an_or_join_does_not_wait_for_a_branch_that_is_withdrawn() {
    assertThat(Verifier.check(orJoin(kill("r"))).isProved()).isTrue();
  }

  @Test
  void a_wait_that_a_freed_branch_can_end_does_not_expire() {
    WorkflowDefinition workflow =
        workflow(
            "w",
            join(
                JoinPolicy.syncMerge(),
                seq(scope("r", take("nowhere")), emit("m")),
                seq(effect("K"), complete("r")),
                defer(taking("m", skip()), expired(take("nowhere")))));

    assertThat(Verifier.check(workflow).isProved()).isTrue();
  }

  @Test
  void waits_that_could_help_each_other_by_expiring_do_not_deadlock() {
    WorkflowDefinition workflow =
        workflow(
            "w",
            join(
                JoinPolicy.syncMerge(),
                defer(taking("p", skip()), expired(emit("q"))),
                defer(taking("q", skip()), expired(emit("p")))));

    assertThat(Verifier.check(workflow).isProved()).isTrue();
  }

  @Test
  void a_wait_for_a_signal_and_for_a_place_that_nobody_marks_is_a_deadlock() {
    WorkflowDefinition workflow =
        workflow("w", new Term.Defer(List.of(takingAll(List.of("s", "p"), skip()))))
            .withPlaces(Place.external("s"));

    Violation violation = refuted(workflow);

    assertThat(violation.property()).isEqualTo(Property.NO_DEADLOCK);
    assertThat(violation.counterexample().text()).contains("p can never be marked");
  }

  @Test
  void a_region_that_is_killed_while_one_of_its_tokens_waits_at_a_join_is_a_deadlock() {
    Map<String, Integer> both = new LinkedHashMap<>();
    both.put("p", 1);
    both.put("q", 1);
    WorkflowDefinition workflow =
        workflow(
            "w",
            graph(
                toAll("p", "q", "k"),
                node("p", scope("r", effect("A")), to("j")),
                node("q", scope("r", effect("B")), to("j")),
                node("k", seq(effect("K"), kill("r")), to("end")),
                node("j", new Node.Join.And(both, false), effect("D"), to("end"))));

    Violation violation = refuted(workflow);

    assertThat(violation.property()).isEqualTo(Property.NO_DEADLOCK);
    assertThat(violation.counterexample().text())
        .containsAnyOf(
            "the join of node 'j' has tokens from [p] and waits for [q]",
            "the join of node 'j' has tokens from [q] and waits for [p]");
  }
}
