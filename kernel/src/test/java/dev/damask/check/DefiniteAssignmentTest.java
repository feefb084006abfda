package dev.damask.check;

import static dev.damask.check.TextKeys.check;
import static dev.damask.check.TextKeys.guard;
import static dev.damask.check.TextKeys.leaf;
import static dev.damask.check.TextKeys.value;
import static dev.damask.term.Flow.breakOut;
import static dev.damask.term.Flow.call;
import static dev.damask.term.Flow.complete;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.definition;
import static dev.damask.term.Flow.emit;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.graph;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.node;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.otherwiseTo;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.repeatUntil;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.taking;
import static dev.damask.term.Flow.to;
import static dev.damask.term.Flow.toAll;
import static dev.damask.term.Flow.toFirst;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Flow.xor;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.check.KeyAccess.Writes;
import dev.damask.task.Expression;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Each rule of definite assignment with a neighbour that it does not apply to.
final class DefiniteAssignmentTest {
  private static final Term READ = leaf("r x");

  @Test
  void a_key_that_no_path_writes_is_reported_with_what_is_there() {
    KeyDiagnostic found =
        DefiniteAssignment.check(
                workflow("w", leaf("w order"), leaf("r oder")),
                new TextKeys(Writes.of("in"), Set.of()))
            .getFirst();

    assertThat(found.kind()).isEqualTo(KeyDiagnostic.Kind.ON_NO_PATH);
    assertThat(found.place()).hasToString("do[1]");
    assertThat(found.available()).containsExactlyInAnyOrder("in", "order");
    assertThat(found.sentence() + "; " + found.remedy())
        .isEqualTo("'r oder' reads 'oder', which no preceding step writes; did you mean 'order'?");
  }

  @Test
  void a_writer_of_unknown_keys_is_mentioned() {
    assertThat(check(seq(READ, leaf("?"), READ)))
        .containsExactly("never x at do[0]", "never x at do[2] ?");
  }

  @Test
  void parallel_branches_add_up_and_do_not_see_each_other() {
    assertThat(check(seq(par(leaf("w x"), leaf("w y")), leaf("r x y")))).isEmpty();
    assertThat(check(par(leaf("w x"), READ))).containsExactly("never x at do.par[1]");
  }

  @Test
  void a_choice_keeps_the_keys_that_every_branch_writes() {
    Term both = xor(when(guard("g"), leaf("w x")), otherwise(leaf("w x y")));

    assertThat(check(seq(both, leaf("r x y")))).containsExactly("maybe y at do[1]");
    assertThat(check(seq(xor(when(guard("g"), leaf("w x"))), READ))).isEmpty();
  }

  @Test
  void a_branch_that_cannot_complete_counts_as_writing_every_key() {
    for (Term stop : List.of(fail("no"), kill("case"), breakOut("case"))) {
      Term choice = xor(when(guard("g"), leaf("w x")), otherwise(seq(skip(), stop)));

      assertThat(check(seq(choice, READ))).as(stop.toString()).isEmpty();
    }
    Term killed = xor(when(guard("g"), leaf("w x")), otherwise(kill("R")));
    assertThat(check(seq(scope("R", killed), READ))).isEmpty();
    assertThat(check(par(scope("R", skip()), seq(killed, READ))))
        .containsExactly("maybe x at do.par[1][1]");
  }

  @Test
  void joins_keep_the_keys_that_every_selection_of_branches_writes() {
    Term[] three = {leaf("w x"), leaf("w x y"), leaf("w z")};

    assertThat(check(seq(join(JoinPolicy.partial(1), three), leaf("r x y z"))))
        .containsExactly("maybe x at do[1]", "maybe y at do[1]", "maybe z at do[1]");
    assertThat(check(seq(join(JoinPolicy.partial(2), three), leaf("r x y z"))))
        .containsExactly("twice x at do[0]", "maybe y at do[1]", "maybe z at do[1]");
    assertThat(check(seq(join(JoinPolicy.detach(), three), READ)))
        .containsExactly("never x at do[1]");
    Term sync =
        join(JoinPolicy.syncMerge(), Flow.always(leaf("w x")), when(guard("g"), leaf("w y")));
    assertThat(check(seq(sync, leaf("r x y")))).containsExactly("maybe y at do[1]");
  }

  @Test
  void a_branch_that_may_be_withdrawn_is_not_certain_where_the_join_shrinks() {
    Term branch = scope("R", leaf("w x"));
    Term shrinking = join(JoinPolicy.syncMerge(), branch, leaf("w y"), kill("R"));

    assertThat(check(seq(shrinking, leaf("r x y")))).containsExactly("maybe x at do[1]");
  }

  @Test
  void the_body_of_a_loop_may_not_run() {
    assertThat(check(seq(repeatWhile(guard("g"), leaf("w x")), READ)))
        .containsExactly("maybe x at do[1]");
    assertThat(check(seq(repeatUntil(guard("r x"), leaf("w x")), READ))).isEmpty();
    assertThat(check(seq(repeat(2, leaf("w x")), READ))).isEmpty();
    assertThat(check(seq(repeat(value("n"), leaf("w x")), READ)))
        .containsExactly("maybe x at do[1]");
    assertThat(check(repeat(2, seq(READ, leaf("w x"))))).containsExactly("maybe x at do.do[0]");
  }

  @Test
  void instances_give_only_what_they_collect() {
    Term set = instances("m", InstancePolicy.fixed(2).collect("x"), leaf("w x, r index"));

    assertThat(check(seq(set, leaf("r x x_all")))).containsExactly("never x at do[1]");
    assertThat(check(instances("m", InstancePolicy.fixed(2).collect("x"), leaf("w y"))))
        .containsExactly("never x at do");
    assertThat(check(instances("m", InstancePolicy.fixed(2), leaf("r item"))))
        .containsExactly("never item at do.do");
  }

  @Test
  void a_catch_has_what_was_there_before_and_the_error() {
    Term caught = scope("R", ScopeOptions.catching(leaf("r in error x")), leaf("w x"));

    assertThat(check(caught)).containsExactly("never x at do.catch");
    assertThat(check(seq(scope("R", ScopeOptions.catching(skip()), leaf("w x")), READ)))
        .containsExactly("maybe x at do[1]");
    ScopeOptions timed = new ScopeOptions(Duration.ofSeconds(1), leaf("w x"), null, false, null);
    assertThat(check(seq(scope("R", timed, leaf("w x y")), leaf("r x y"))))
        .containsExactly("maybe y at do[1]");
  }

  @Test
  void a_break_leaves_its_scope_with_the_keys_of_its_own_path() {
    Term early = xor(when(guard("g"), seq(leaf("w x"), breakOut("R"))), otherwise(skip()));

    assertThat(check(seq(scope("R", early, leaf("w x y")), leaf("r x y"))))
        .containsExactly("maybe y at do[1]");
    assertThat(check(seq(scope("R", leaf("w x"), complete("R")), READ)))
        .containsExactly("maybe x at do[1]");
  }

  @Test
  void payloads_have_the_keys_that_every_emit_gives() {
    Term taking = defer(taking("p", READ));
    var sorted = new TreeMap<String, Expression>(Map.of("x", value("1")));

    assertThat(check(par(emit("p", sorted), taking))).isEmpty();
    assertThat(check(par(emit("p", sorted), emit("p"), taking)))
        .containsExactly("maybe x at do.par[2].defer[0]");
    assertThat(check(workflow("w", taking).withPlaces(Place.external("p"))))
        .containsExactly("never x at do.defer[0] ?");
  }

  @Test
  void a_guard_that_tests_a_key_makes_it_certain() {
    Term tested = xor(when(guard("has x"), READ), otherwise(READ));
    Term defaulted = xor(when(guard("not x"), leaf("w x")), otherwise(skip()));

    assertThat(check(tested)).containsExactly("never x at do.xor[1]");
    assertThat(check(seq(defaulted, READ))).isEmpty();
  }

  @Test
  void graphs_are_solved_by_data_flow() {
    Term choice =
        graph(
            to("a"),
            node("a", skip(), toFirst(Flow.arc(guard("g"), "b"), otherwiseTo("c"))),
            node("b", leaf("w x"), to("d")),
            node("c", leaf("w x y"), to("d")),
            node("d", leaf("r x y"), to("end")));
    assertThat(check(choice)).containsExactly("maybe y at do.graph.nodes.d.do");

    Map<String, Integer> weights = new LinkedHashMap<>(Map.of("b", 1, "c", 1));
    Term joined =
        graph(
            toAll("b", "c"),
            node("b", leaf("w x"), to("d")),
            node("c", leaf("w y"), to("d")),
            node("d", new Node.Join.And(weights, false), leaf("r x y"), to("end")));
    assertThat(check(joined)).isEmpty();

    Term merged =
        graph(
            toAll("b", "c"),
            node("b", leaf("w x"), to("d")),
            node("c", leaf("w y"), to("d")),
            node("d", new Node.Join.Or(List.of("b", "c"), false), leaf("r x"), to("end")));
    assertThat(check(seq(merged, leaf("r x y"))))
        .containsExactly("maybe x at do[0].graph.nodes.d.do");
  }

  @Test
  void a_definition_has_what_all_its_calls_have_in_common() {
    Term body = seq(leaf("w x"), call("F"), leaf("w y"), call("F"), leaf("r z"));

    assertThat(check(workflow("w", body).withDefinitions(definition("F", leaf("r x y, w z")))))
        .containsExactly("maybe y at definitions.F");
  }

  @Test
  void recursive_definitions_end_with_what_every_way_out_writes() {
    Term again = xor(when(guard("g"), seq(leaf("w y"), call("F"))), otherwise(leaf("w x")));

    assertThat(
            check(workflow("w", call("F"), leaf("r x y")).withDefinitions(definition("F", again))))
        .containsExactly("maybe y at do[1]");
  }

  @Test
  void two_writers_without_a_merge_are_reported_with_both_places() {
    Term twice = par(leaf("w x"), leaf("w y"), leaf("w x"));

    assertThat(check(twice)).containsExactly("twice x at do");
    assertThat(DefiniteAssignment.check(workflow("w", twice), new TextKeys(Writes.NONE, Set.of())))
        .singleElement()
        .satisfies(each ->
            assertThat(each.sentence())
                .isEqualTo(
                    "key 'x' is written by two parallel branches, do.par[0] and do.par[2], "
                        + "without a merge"));
    for (Merge merge : List.of(Merge.Standard.FIRST, Merge.collect("x"))) {
      assertThat(check(new Term.Par(List.of(leaf("w x"), leaf("w x")), merge))).isEmpty();
    }
  }

  @Test
  void the_result_is_read_wherever_the_case_completes() {
    TextKeys keys = new TextKeys(Writes.of("in"), Set.of("x"));
    Term early = xor(when(guard("g"), breakOut("case")), otherwise(skip()));

    assertThat(keys.lines(workflow("w", leaf("w x")))).isEmpty();
    assertThat(keys.lines(workflow("w", skip()))).containsExactly("never x at do");
    assertThat(keys.lines(workflow("w", early, leaf("w x"))))
        .containsExactly("never x at do[0].xor[0]");
  }

  @Test
  void visits_grow_linearly_with_the_nodes() {
    TextKeys keys = new TextKeys(Writes.of("in"), Set.of());
    for (boolean isDeep : new boolean[] {false, true}) {
      long small = DefiniteAssignment.visits(workflow("w", large(1_000, isDeep)), keys);
      long large = DefiniteAssignment.visits(workflow("w", large(10_000, isDeep)), keys);

      assertThat(large).isLessThan(small * 11);
    }
  }

  /// Sequences, choices, loops, scopes and graphs of about so many nodes.
  static Term large(int nodes, boolean isDeep) {
    Term deep = leaf("w k0");
    List<Term> parts = new ArrayList<>();
    for (int i = 0; i * 10 < nodes; i++) {
      Term here =
          seq(
              leaf("w k" + i),
              par(leaf("r k" + i), leaf("w p" + i)),
              xor(when(guard("r p" + i), leaf("w x")), otherwise(leaf("w x"))),
              scope("R", ScopeOptions.catching(skip()), leaf("r x")));
      parts.add(here);
      deep = i % 20 == 0 ? inGraph(seq(deep, here)) : seq(here, scope("R", deep));
    }
    return isDeep ? deep : new Term.Seq(parts);
  }

  private static Term inGraph(Term body) {
    return graph(
        to("a"),
        node("a", body, toFirst(Flow.arc(guard("g"), "a"), otherwiseTo("b"))),
        node("b", skip(), to("end")));
  }
}
