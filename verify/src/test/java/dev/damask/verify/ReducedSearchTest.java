package dev.damask.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What leaving out orders must not change, where one token can withdraw another.
final class ReducedSearchTest {
  private static Term pure(String name) {
    return Flow.task(name, context -> context);
  }

  private static Verdict full(WorkflowDefinition workflow) {
    return check(workflow, Reduction.NONE);
  }

  private static Verdict reduced(WorkflowDefinition workflow) {
    return check(workflow, Reduction.ALWAYS);
  }

  private static Verdict check(WorkflowDefinition workflow, Reduction reduction) {
    Program program = Compiler.compile(workflow);
    return MachineCheck.check(program, Options.DEFAULT.withReduction(reduction));
  }

  /// The token that spins changes nothing for the other one, which can end both at any time.
  @Test
  void a_token_that_spins_keeps_no_other_from_ending_the_graph() {
    WorkflowDefinition workflow =
        Flow.workflow(
            "w",
            Flow.graphUntilFirst(
                Flow.to("a"),
                Flow.node("a", pure("A"), Flow.toAll("b", "end")),
                Flow.node("b", pure("B"), Flow.to("b"))));

    assertThat(full(workflow).isProved()).as("%s", full(workflow)).isTrue();
    assertThat(reduced(workflow).isProved()).as("%s", reduced(workflow)).isTrue();
  }

  @Test
  void a_token_that_spins_for_ever_after_the_other_has_ended_is_still_found() {
    WorkflowDefinition workflow =
        Flow.workflow(
            "w",
            Flow.graph(
                Flow.to("a"),
                Flow.node("a", pure("A"), Flow.toAll("b", "end")),
                Flow.node("b", pure("B"), Flow.to("b"))));

    assertThat(Agreement.describe(full(workflow))).isEqualTo("refuted no livelock");
    assertThat(Agreement.describe(reduced(workflow))).isEqualTo("refuted no livelock");
  }

  /// `d` withdraws what is still in `c` and then itself. If `c` has ended before, the case
  /// completes; otherwise nothing is left of it.
  @Test
  void it_matters_when_a_token_leaves_a_node_that_a_join_clears() {
    WorkflowDefinition workflow =
        Flow.workflow(
            "w",
            Flow.graph(
                Flow.toAll("a", "b"),
                Flow.node("a", pure("A"), Flow.to("c")),
                Flow.node("b", pure("B"), Flow.to("d")),
                Flow.node("c", pure("C"), Flow.to("end")),
                Flow.node(
                    "d",
                    new Node.Join.Cancelling(1, List.of("b"), List.of("c"), false),
                    Flow.scope("R", Flow.kill("R")),
                    Flow.to("end"))));

    assertThat(Agreement.describe(full(workflow))).isEqualTo("refuted proper completion");
    assertThat(Agreement.describe(reduced(workflow))).isEqualTo("refuted proper completion");
  }

  /// Behind its split the token of `a` stands in no node, so that `b` does not withdraw it.
  @Test
  void it_matters_when_a_split_sends_a_token_on() {
    WorkflowDefinition workflow =
        Flow.workflow(
                "w",
                Flow.graph(
                    Flow.toAll("a", "b"),
                    Flow.node("a", pure("A"), Flow.toAll("b", "c")),
                    Flow.node(
                        "b",
                        new Node.Join.Cancelling(1, List.of("a", "start"), List.of("a"), false),
                        pure("B"),
                        Flow.to("end")),
                    Flow.node(
                        "c",
                        new Node.Join.Or(List.of("a", "c"), false),
                        Flow.take("e"),
                        Flow.toAll("c", "a"))))
            .withPlaces(Place.external("e"));

    assertThat(Agreement.describe(full(workflow))).isEqualTo("refuted no livelock");
    assertThat(Agreement.describe(reduced(workflow))).isEqualTo("refuted no livelock");
    Following.confirm(
        Compiler.compile(workflow),
        Options.DEFAULT,
        ((Verdict.Refuted) reduced(workflow)).violations().getFirst());
  }

  /// An instance that is late runs beside the branches of the next fork.
  @Test
  void a_trace_beside_a_late_instance_can_be_followed() {
    WorkflowDefinition workflow =
        Flow.workflow(
            "w",
            Flow.instances("m", InstancePolicy.fixed(2).need(1), Flow.emit("p")),
            Flow.par(
                Flow.instances(
                    "o",
                    InstancePolicy.fixed(0).openUntilClosed(),
                    Flow.scope("R", Flow.kill("R"))),
                Flow.emit("o.add")));

    assertThat(Agreement.describe(full(workflow))).isEqualTo("refuted proper completion");
    Following.confirm(
        Compiler.compile(workflow),
        Options.DEFAULT,
        ((Verdict.Refuted) full(workflow)).violations().getFirst());
  }
}
