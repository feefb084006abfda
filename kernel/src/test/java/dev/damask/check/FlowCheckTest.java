package dev.damask.check;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.always;
import static dev.damask.term.Flow.anyOf;
import static dev.damask.term.Flow.arc;
import static dev.damask.term.Flow.call;
import static dev.damask.term.Flow.complete;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.definition;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.emit;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.graph;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.node;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.otherwiseTo;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.repeatUntil;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.to;
import static dev.damask.term.Flow.toAll;
import static dev.damask.term.Flow.toFirst;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Flow.xor;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.task.Guard;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What is certain about the flow whatever the data are. Each mistake has a neighbour that is none.
final class FlowCheckTest {
  private static final Term A = effect("A");
  private static final Term B = effect("B");
  private static final Guard GUARD = Guard.named("n > 0", context -> true);
  private static final Guard YES = Guard.named("true", context -> true);
  private static final Guard NO = Guard.named("false", context -> false);

  private static List<String> check(WorkflowDefinition workflow) {
    return TermCheck.check(workflow).stream()
        .map(diagnostic -> diagnostic.code() + " " + diagnostic.path())
        .toList();
  }

  private static List<String> check(Term... parts) {
    return check(workflow("w", parts));
  }

  @Test
  void what_stands_behind_a_term_that_never_goes_on_is_unreachable() {
    assertThat(check(kill("case"), A)).containsExactly("UNREACHABLE do[1]");
    assertThat(check(fail("no"), A, B)).containsExactly("UNREACHABLE do[1]");
    assertThat(check(scope("r", seq(complete("r"), A)))).containsExactly("UNREACHABLE do.do[1]");
    assertThat(check(par(A, fail("no")), B)).containsExactly("UNREACHABLE do[1]");
    assertThat(check(xor(when(GUARD, fail("a")), otherwise(kill("case"))), B))
        .containsExactly("UNREACHABLE do[1]");
    assertThat(check(scope("r", A, kill("case")), B)).containsExactly("UNREACHABLE do[1]");
    assertThat(check(repeatUntil(GUARD, fail("no")), B)).containsExactly("UNREACHABLE do[1]");
  }

  @Test
  void a_way_past_keeps_it_reachable() {
    assertThat(check(xor(when(GUARD, fail("a")), otherwise(A)), B)).isEmpty();
    assertThat(check(scope("r", A, kill("r")), B)).isEmpty();
    assertThat(check(scope("r", ScopeOptions.catching(A), fail("no")), B)).isEmpty();
    assertThat(check(repeatWhile(GUARD, fail("no")), B)).isEmpty();
    assertThat(check(join(JoinPolicy.firstComplete(), fail("no"), A), B)).isEmpty();
    ScopeOptions timed = new ScopeOptions(Duration.ofSeconds(1), B, null, false, null);
    assertThat(check(scope("r", timed, seq(A, kill("case"))), B)).isEmpty();
    assertThat(check(defer(on("p", fail("no")), after(Duration.ofDays(1), A)), B)).isEmpty();
  }

  @Test
  void branches_that_are_never_taken_are_found() {
    assertThat(check(xor(when(NO, A), otherwise(B)))).containsExactly("NEVER_TAKEN do.xor[0]");
    assertThat(check(xor(when(YES, A), when(GUARD, B), otherwise(B))))
        .containsExactly("NEVER_TAKEN do.xor[1]", "NEVER_TAKEN do.xor[2]");
    assertThat(check(xor(when(GUARD, A), when(GUARD, B)))).containsExactly("NEVER_TAKEN do.xor[1]");
    assertThat(check(repeatWhile(NO, A))).containsExactly("NEVER_TAKEN do.do");
    assertThat(check(repeat(0, A))).containsExactly("NEVER_TAKEN do.do");
    assertThat(check(instances("m", InstancePolicy.fixed(0), A)))
        .containsExactly("NEVER_TAKEN do.do");
    assertThat(check(defer(after(Duration.ofDays(2), A), after(Duration.ofDays(1), B))))
        .containsExactly("NEVER_TAKEN do.defer[0]");
    Guard other = Guard.named("n > 1", context -> true);
    assertThat(check(xor(when(GUARD, A), when(other, B)))).isEmpty();
    Guard java = context -> true;
    assertThat(check(xor(when(java, A), when(java, B)))).isEmpty();
    assertThat(check(anyOf(A, B), repeat(1, A), repeatUntil(YES, B))).isEmpty();
  }

  @Test
  void a_loop_without_a_way_out_is_found() {
    assertThat(check(repeatWhile(YES, A), B))
        .containsExactly("UNREACHABLE do[1]", "ENDLESS_LOOP do[0]");
    assertThat(check(repeatUntil(NO, A))).containsExactly("ENDLESS_LOOP do");
    assertThat(check(repeatWhile(YES, xor(when(GUARD, A), otherwise(fail("enough")))))).isEmpty();
    assertThat(check(par(repeatWhile(YES, A), seq(B, kill("case"))))).isEmpty();
    assertThat(check(join(JoinPolicy.firstComplete(), repeatWhile(YES, A), B))).isEmpty();
  }

  @Test
  void joins_and_sets_that_can_never_have_enough_are_found() {
    assertThat(check(join(JoinPolicy.firstN(2), when(NO, A), always(B))))
        .containsExactly("JOIN_NEVER_MET do");
    assertThat(check(join(JoinPolicy.firstN(1), when(NO, A), always(B)))).isEmpty();
    assertThat(check(instances("m", InstancePolicy.fixed(2).need(3), A)))
        .containsExactly("JOIN_NEVER_MET do");
    assertThat(check(instances("m", InstancePolicy.fixed(2).opened().need(3), A))).isEmpty();
    assertThat(check(instances("m", InstancePolicy.fixed(5).between(1, 4), A)))
        .containsExactly("BOUNDS_NEVER_MET do");
    assertThat(check(instances("m", InstancePolicy.fixed(4).between(1, 4), A))).isEmpty();
  }

  @Test
  void a_join_of_a_graph_that_waits_for_more_tokens_than_there_are_is_found() {
    Node.Join both = new Node.Join.And(Map.of("a", 1, "b", 1), false);
    Node a = node("a", A, to("j"));
    Node b = node("b", B, to("j"));
    Node j = node("j", both, A, to("end"));

    assertThat(check(graph(toFirst(arc(GUARD, "a"), otherwiseTo("b")), a, b, j)))
        .containsExactly("JOIN_NEVER_MET do.graph.nodes.j.join");
    assertThat(check(graph(to("a"), a, b, j)))
        .containsExactly(
            "UNREACHABLE_NODE do.graph.nodes.b", "JOIN_NEVER_MET do.graph.nodes.j.join");
    assertThat(check(graph(toFirst(arc(NO, "b"), otherwiseTo("a")), a, b, j)))
        .contains("UNREACHABLE_NODE do.graph.nodes.b");
    assertThat(check(graph(toAll("a", "b"), a, b, j))).isEmpty();
    Node or = node("j", new Node.Join.Or(List.of("a", "b"), false), A, to("end"));
    assertThat(check(graph(toFirst(arc(GUARD, "a"), otherwiseTo("b")), a, b, or))).isEmpty();
  }

  @Test
  void killing_a_scope_that_is_never_open_then_is_found() {
    assertThat(check(scope("r", A), kill("r"))).containsExactly("KILL_OF_CLOSED do[1]");
    assertThat(check(anyOf(scope("r", A), kill("r")))).containsExactly("KILL_OF_CLOSED do.xor[1]");
    Term handled = scope("r", ScopeOptions.catching(kill("r")), A);
    assertThat(check(handled)).containsExactly("KILL_OF_CLOSED do.catch");
    assertThat(check(par(scope("r", A), seq(B, kill("r"))))).isEmpty();
    assertThat(check(scope("r", A, kill("r")))).isEmpty();
    Term twice = seq(scope("r", A), kill("r"));
    assertThat(check(instances("m", InstancePolicy.fixed(2), twice))).isEmpty();
    assertThat(check(join(JoinPolicy.partial(1), scope("r", A), B), kill("r"))).isEmpty();
    assertThat(check(instances("m", InstancePolicy.fixed(2).need(1), A), kill("m"))).isEmpty();
    WorkflowDefinition elsewhere =
        workflow("w", scope("r", call("F")), A).withDefinitions(definition("F", kill("r")));
    assertThat(check(elsewhere)).isEmpty();
  }

  @Test
  void calls_without_an_end_and_definitions_without_a_caller_are_found() {
    WorkflowDefinition around =
        workflow("w", call("F"))
            .withDefinitions(
                definition("F", A, call("G")),
                definition("G", par(B, call("F"))),
                definition("H", A));
    WorkflowDefinition ending =
        workflow("w", call("F"))
            .withDefinitions(
                definition("F", xor(when(GUARD, call("G")), otherwise(A))),
                definition("G", A, call("F")));

    assertThat(check(around))
        .containsExactly(
            "NEVER_CALLED definitions.H",
            "ENDLESS_CALL definitions.F",
            "ENDLESS_CALL definitions.G");
    assertThat(check(ending)).isEmpty();
  }

  @Test
  void places_that_nobody_waits_for_are_found() {
    assertThat(check(emit("p"))).containsExactly("NEVER_AWAITED do");
    assertThat(check(workflow("w", A).withPlaces(Place.external("p"))))
        .containsExactly("UNUSED_PLACE do");
  }

  @Test
  void a_term_of_10_000_nodes_costs_time_in_proportion() {
    Term deep = A;
    for (int i = 0; i < 5_000; i++) {
      deep = i % 2 == 0 ? seq(deep, kill("case")) : scope("s" + i, deep);
    }
    Term[] wide = new Term[5_000];
    for (int i = 0; i < wide.length; i++) {
      wide[i] = i % 2 == 0 ? scope("r", A) : kill("r");
    }

    assertThat(TermCheck.check(workflow("w", par(deep, seq(wide)))))
        .noneMatch(Diagnostic::isError)
        .isNotEmpty();
  }
}
