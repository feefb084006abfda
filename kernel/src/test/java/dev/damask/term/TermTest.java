package dev.damask.term;

import static dev.damask.term.Flow.always;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.expired;
import static dev.damask.term.Flow.node;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.taking;
import static dev.damask.term.Flow.to;
import static dev.damask.term.Flow.when;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// A term that exists is well formed: its constructors refuse nonsense and say what and where.
final class TermTest {
  private static final Guard G = Guard.named("g", context -> true);
  private static final Term A = effect("A");

  private static void refuses(String message, ThrowingCallable maker) {
    assertThatThrownBy(maker).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  @Test
  void sequences_and_parallel_blocks_need_parts() {
    refuses("seq needs a part", () -> new Term.Seq(List.of()));
    refuses("par needs two branches, got 1", () -> Flow.par(A));
    refuses(
        "merge newest belongs to graphs", () -> new Term.Par(List.of(A, A), Merge.Standard.NEWEST));
  }

  @Test
  void a_choice_has_guards_on_all_branches_or_on_none() {
    refuses("xor needs a branch", () -> Flow.xor());
    refuses("xor has only an else", () -> Flow.xor(otherwise(A)));
    refuses("xor with one branch needs a guard", () -> Flow.anyOf(A));
    refuses("the else of xor must be last", () -> Flow.xor(otherwise(A), when(G, A)));
    refuses("xor has at most one else, got 2", () -> Flow.xor(otherwise(A), otherwise(A)));
    refuses(
        "xor has either a guard on every branch (and perhaps an else) or on none",
        () -> Flow.xor(when(G, A), always(A)));
    refuses("an else branch has no guard", () -> new Term.Choice(G, true, A));
  }

  @Test
  void a_join_cannot_need_more_than_it_has() {
    refuses("join: need must not be negative, got -1", () -> JoinPolicy.partial(-1));
    refuses(
        "join: need 3 of 2 branches can never be met",
        () -> Flow.join(JoinPolicy.partial(3), A, A));
    refuses(
        "join: need all allows no guards; use sync to wait for the selected branches",
        () -> Flow.join(JoinPolicy.all(), when(G, A), always(A)));
    refuses(
        "merge newest belongs to graphs", () -> JoinPolicy.all().withMerge(Merge.Standard.NEWEST));
  }

  @Test
  void a_wait_has_something_to_wait_for() {
    refuses("defer needs an alternative", () -> Flow.defer());
    refuses("defer needs an alternative besides expired", () -> Flow.defer(expired(A)));
    refuses(
        "defer has at most one expired alternative",
        () -> Flow.defer(taking("p", A), expired(A), expired(A)));
    refuses("take needs a place", () -> Flow.takingAll(List.of(), A));
    refuses("take names a place twice: [p, p]", () -> Flow.takingAll(List.of("p", "p"), A));
    refuses(
        "after: the duration must not be negative, got PT-1S",
        () -> Flow.after(Duration.ofSeconds(-1), A));
  }

  @Test
  void scopes_and_instances_have_names_and_sane_options() {
    refuses("cancel needs a name", () -> Flow.scope("", A));
    refuses("cancel: 'case' is the name of the case itself", () -> Flow.scope("case", A));
    refuses(
        "cancel r: a place is held twice [x, x]",
        () -> new Term.Cancel("r", List.of("x", "x"), ScopeOptions.NONE, A));
    refuses(
        "onTimeout requires a timeout", () -> new ScopeOptions(null, skip(), null, false, null));
    refuses(
        "a scope's timeout must be positive, got PT0S",
        () -> new ScopeOptions(Duration.ZERO, null, null, false, null));
    refuses(
        "mi: 'case' is the name of the case itself",
        () -> Flow.instances("case", InstancePolicy.fixed(1), A));
    refuses(
        "mi: expected 0 <= min <= max, got min 3 and max 2",
        () -> InstancePolicy.fixed(1).between(3, 2));
  }

  @Test
  void names_are_short_and_printable() {
    refuses("kill needs a name", () -> Flow.kill(""));
    refuses("call needs a name", () -> Flow.call(""));
    refuses("emit needs a name", () -> Flow.emit(""));
    refuses("an effect needs a name", () -> effect(""));
    refuses("task: a name has at most 128 bytes, got 130", () -> effect("ä".repeat(65)));
    refuses("task: a name has no control characters, got one at index 1", () -> effect("a\nb"));
  }

  @Test
  void a_graph_has_nodes_of_different_names_and_a_merge_of_its_own() {
    refuses("graph needs a node", () -> Flow.graph(to("end")));
    refuses(
        "graph has two nodes named 'p'",
        () -> Flow.graph(to("p"), node("p", A, to("end")), node("p", A, to("end"))));
    refuses("a node cannot be named 'end'", () -> node("end", A, to("end")));
    refuses("a node cannot be named 'start'", () -> node("start", A, to("end")));
    refuses(
        "a graph merges by newest or overlay, got LAST",
        () ->
            new Term.Graph(
                Mode.IMPLICIT, Merge.Standard.LAST, to("p"), List.of(node("p", A, to("end")))));
  }

  @Test
  void graph_joins_name_each_source_once_and_k_is_in_range() {
    Map<String, Integer> weights = new LinkedHashMap<>();
    weights.put("p", 0);
    refuses("and join needs a source", () -> new Node.Join.And(new LinkedHashMap<>(), false));
    refuses(
        "and: the weight of 'p' must be at least 1, got 0",
        () -> new Node.Join.And(weights, false));
    refuses(
        "or join names a source twice: [p, p]", () -> new Node.Join.Or(List.of("p", "p"), false));
    refuses(
        "kof is between 1 and the number of sources, 1, got 2",
        () -> new Node.Join.Blocking(2, List.of("p"), false));
    refuses(
        "kof is between 1 and the number of sources, 1, got 0",
        () -> new Node.Join.Cancelling(0, List.of("p"), List.of(), false));
  }

  @Test
  void splits_have_targets_and_sound_guards() {
    refuses("and split needs two targets, got 1", () -> Flow.toAll("p"));
    refuses("xor split needs an arc", () -> Flow.toFirst());
    refuses("copies is between 1 and 10000, got 0", () -> new Split.Copies(0, "p"));
    refuses(
        "xor split has at most one else, which must be last",
        () -> Flow.toFirst(Flow.otherwiseTo("p"), Flow.arc(G, "q")));
    refuses(
        "or split: every arc but the else has a guard",
        () -> Flow.toEach(new Split.Arc(null, false, "p")));
    refuses(
        "xor split: every arc but the else has a guard, or none has",
        () -> Flow.toFirst(Flow.arc(G, "p"), new Split.Arc(null, false, "q")));
    refuses("an else arc has no guard", () -> new Split.Arc(G, true, "p"));
  }

  @Test
  void places_definitions_limits_and_options_are_bounded() {
    refuses(
        "place p: init must be between 0 and 1000, got -1",
        () -> new Place("p", false, Place.Lifetime.PERSISTENT, -1));
    refuses(
        "place p: a transient place keeps nothing, so init is 0, got 1",
        () -> new Place("p", false, Place.Lifetime.TRANSIENT, 1));
    refuses(
        "two definitions are named 'F'",
        () ->
            Flow.workflow("w", A)
                .withDefinitions(Flow.definition("F", A), Flow.definition("F", A)));
    refuses(
        "two places are named 'p'",
        () ->
            new WorkflowDefinition(
                "w",
                "",
                "",
                Mode.IMPLICIT,
                Context.empty(),
                List.of(Place.internal("p"), Place.external("p")),
                List.of(),
                Limits.DEFAULT,
                A));
    refuses("limit steps must be at least 1, got 0", () -> Limits.DEFAULT.withSteps(0));
    refuses(
        "a task's timeout must be positive, got PT0S", () -> effect("A").timeout(Duration.ZERO));
    refuses(
        "a task's cost must not be negative, got -1",
        () -> TaskOptions.DEFAULT.withCost(BigDecimal.ONE.negate()));
    refuses(
        "retry: max counts attempts and must be at least 1, got 0",
        () -> new Retry(0, Duration.ZERO, 1, 0));
    refuses("retry: jitter is between 0 and 1, got 2.0", () -> new Retry(1, Duration.ZERO, 1, 2));
    refuses(
        "retry: backoff is between 1 and 1000, got 0.5", () -> new Retry(1, Duration.ZERO, 0.5, 0));
    refuses(
        "merge function needs a name",
        () -> new Merge.Custom("", (key, base, values) -> Expression.constant(1)));
  }
}
