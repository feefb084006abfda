package dev.damask.check;

import static dev.damask.term.Flow.call;
import static dev.damask.term.Flow.definition;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.emit;
import static dev.damask.term.Flow.graph;
import static dev.damask.term.Flow.holding;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.node;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.to;
import static dev.damask.term.Flow.toAll;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.task.Expression;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Limits;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Every diagnostic says what, where, and what to do about it.
final class TermCheckTest {
  private static final Term A = effect("A");

  private static List<String> check(WorkflowDefinition workflow) {
    return TermCheck.check(workflow).stream()
        .map(diagnostic -> diagnostic.severity() + " " + diagnostic)
        .toList();
  }

  private static List<String> check(Term... parts) {
    return check(workflow("w", parts));
  }

  @Test
  void has_nothing_to_say_about_a_sound_workflow() {
    assertThat(check(A, par(scope("r", A), kill("r")))).isEmpty();
  }

  @Test
  void unknown_names_are_errors_that_offer_the_nearest_known_one() {
    assertThat(check(scope("region", A), kill("regoin")))
        .containsExactly(
            "ERROR UNKNOWN_SCOPE at do[1]: kill: there is no scope 'regoin'; "
                + "did you mean 'region'?");
    assertThat(check(A, call("F")))
        .containsExactly(
            "ERROR UNKNOWN_DEFINITION at do[1]: call: there is no definition 'F'; "
                + "none is declared");
    assertThat(check(emit("m.add")))
        .containsExactly(
            "ERROR UNKNOWN_INSTANCES at do: emit: there is no mi 'm' to add; none is declared");
    assertThat(check(kill("case"))).isEmpty();
  }

  @Test
  void a_workflow_and_a_fork_have_bounds() {
    Limits small = new Limits(3, 2, 1, 1, 1, 1, 1, 1);

    assertThat(check(workflow("w", A, A, A, A).withLimits(small)))
        .containsExactly(
            "ERROR TOO_LARGE at do: a workflow has at most 3 nodes, found 5; "
                + "move parts into definitions, or raise limits.nodes");
    assertThat(check(workflow("w", par(A, A, A)).withLimits(new Limits(9, 2, 1, 1, 1, 1, 1, 1))))
        .containsExactly(
            "ERROR TOO_MANY_BRANCHES at do: a fork has at most 2 branches, found 3; "
                + "use mi, or raise limits.branches");
  }

  @Test
  void a_place_that_nobody_marks_is_a_warning() {
    assertThat(check(take("p")))
        .containsExactly(
            "WARNING NEVER_MARKED at do: no term puts a token on place 'p'; "
                + "declare it external, set its init, or emit to it");
    assertThat(check(par(take("p"), emit("p")))).isEmpty();
    assertThat(check(workflow("w", take("p")).withPlaces(Place.external("p")))).isEmpty();
  }

  @Test
  void holding_a_place_inside_a_scope_that_holds_it_is_a_warning() {
    Term twice = holding("r", "x", seq(A, holding("s", "x", A)));

    assertThat(check(workflow("w", twice).withPlaces(Place.mutex("x"))))
        .containsExactly(
            "WARNING HELD_TWICE at do.do[1]: scope 's' waits for place 'x', which an enclosing "
                + "scope holds until it ends; hold the place only once");
    Place two = new Place("x", false, Place.Lifetime.PERSISTENT, 2);
    assertThat(check(workflow("w", twice).withPlaces(two))).isEmpty();
    Term handled =
        new Term.Cancel("r", List.of("x"), ScopeOptions.catching(holding("s", "x", A)), A);
    assertThat(check(workflow("w", handled).withPlaces(Place.mutex("x")))).isEmpty();
    Term beside = seq(holding("r", "x", A), holding("s", "x", A));
    assertThat(check(workflow("w", beside).withPlaces(Place.mutex("x")))).isEmpty();
  }

  @Test
  void a_definition_that_always_calls_itself_is_a_warning() {
    WorkflowDefinition endless =
        workflow("w", call("F")).withDefinitions(definition("F", A, call("F")));

    assertThat(check(endless))
        .containsExactly(
            "WARNING ENDLESS_CALL at definitions.F: definition 'F' always calls itself; "
                + "put the call under a condition");
  }

  @Test
  void a_graph_with_unknown_nodes_is_an_error() {
    assertThat(check(graph(to("q"), node("p", A, to("end")))))
        .contains("ERROR UNKNOWN_NODE at do.graph.start: there is no node 'q'; did you mean 'p'?");
    assertThat(
            check(
                graph(
                    to("p"),
                    node(
                        "p",
                        new Node.Join.Cancelling(1, List.of("start"), List.of("zzz"), false),
                        A,
                        to("end")))))
        .containsExactly(
            "ERROR UNKNOWN_NODE at do.graph.nodes.p.join: cancel: there is no node 'zzz'; "
                + "known: p");
  }

  @Test
  void a_join_names_exactly_the_arcs_that_lead_to_it() {
    Term names =
        graph(
            toAll("p", "q"),
            node("p", A, to("j")),
            node("q", A, to("end")),
            node("j", new Node.Join.Or(List.of("q"), false), A, to("end")));

    assertThat(check(names))
        .containsExactly(
            "ERROR NO_ARC at do.graph.nodes.j.join: the join of 'j' names 'q', which has no arc to"
                + " it; name only nodes whose `then` leads here",
            "ERROR ARC_NOT_JOINED at do.graph.nodes.j.join: an arc from 'p' leads to 'j' but its"
                + " join does not list it; add 'p' to the join");
  }

  @Test
  void nodes_out_of_reach_and_graphs_without_an_end_are_warnings() {
    assertThat(check(graph(to("p"), node("p", A, to("p")), node("z", A, to("end")))))
        .containsExactly(
            "WARNING UNREACHABLE_NODE at do.graph.nodes.z: no token can ever reach node 'z'; "
                + "add an arc to it or remove it",
            "WARNING NO_END at do.graph: no path of the graph leads to `end`");
  }

  @Test
  void one_line_tells_the_first_error_and_how_many_more_there_are() {
    List<Diagnostic> diagnostics = TermCheck.check(workflow("w", kill("r"), kill("s")));

    assertThat(Diagnostic.describe("w", diagnostics))
        .isEqualTo(
            "workflow w: UNKNOWN_SCOPE at do[0]: kill: there is no scope 'r'; none is declared"
                + " (and 1 more)");
  }

  @Test
  void the_nearest_name_is_the_one_with_the_fewest_changed_letters() {
    assertThat(Nearest.distance("kitten", "sitting")).isEqualTo(3);
    assertThat(Nearest.distance("", "abc")).isEqualTo(3);
    assertThat(Nearest.distance("ulr", "url")).isEqualTo(1);
    assertThat(Nearest.distance("amuont", "amount")).isEqualTo(1);
    assertThat(Nearest.hint("xyz", List.of("b", "a"))).isEqualTo("known: a, b");
  }

  @Test
  void constants_that_are_no_counts_are_errors_in_new_workflows_only() {
    for (Object wrong : java.util.Arrays.asList(-1, 1.5, "a", true, null, Map.of())) {
      Expression constant = Expression.constant(wrong);
      Term body = task("a", context -> context);

      for (Term term :
          List.of(
              Flow.repeat(constant, body),
              Flow.instances("m", InstancePolicy.of(constant), body),
              Flow.instances(
                  "m",
                  InstancePolicy.fixed(2).need(new InstancePolicy.Need.Count(constant)),
                  body))) {
        List<Diagnostic> found = TermCheck.check(workflow("w", term));

        assertThat(found).as("%s", term).anyMatch(each -> each.code().equals("WRONG_COUNT"));
        assertThat(found).allMatch(each -> !each.isErrorInStore());
      }
    }
    Expression list = Expression.constant(List.of(1, 2));
    assertThat(
            TermCheck.check(
                workflow("w", Flow.instances("m", InstancePolicy.of(list), Flow.skip()))))
        .isEmpty();
    assertThat(TermCheck.check(workflow("w", Flow.repeat(list, Flow.skip()))))
        .anyMatch(Diagnostic::isError);
  }
}
