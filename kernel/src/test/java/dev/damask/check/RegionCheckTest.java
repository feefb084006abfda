package dev.damask.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.term.Flow;
import dev.damask.term.Node;
import dev.damask.term.Term;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Regions over several nodes that meet at one join.
final class RegionCheckTest {
  private static List<String> check(String first, String second, Node.Join join) {
    Term graph =
        Flow.graph(
            Flow.toAll("p", "q", "k"),
            Flow.node("p", Flow.scope(first, Flow.effect("A")), Flow.to("j")),
            Flow.node("q", Flow.scope(second, Flow.effect("B")), Flow.to("j")),
            Flow.node("k", Flow.seq(Flow.effect("K"), Flow.kill("r")), Flow.to("end")),
            Flow.node("j", join, Flow.effect("D"), Flow.to("end")));
    return TermCheck.check(Flow.workflow("w", graph)).stream()
        .map(
            diagnostic -> diagnostic.severity() + " " + diagnostic.code() + " " + diagnostic.path())
        .toList();
  }

  private static Node.Join and(boolean abort) {
    Map<String, Integer> weights = new LinkedHashMap<>();
    weights.put("p", 1);
    weights.put("q", 1);
    return new Node.Join.And(weights, abort);
  }

  @Test
  void a_region_over_two_nodes_that_one_and_join_waits_for_is_found() {
    assertThat(check("r", "r", and(false)))
        .containsExactly("WARNING REGION_FEEDS_JOIN do.graph.nodes.j.join");
  }

  @Test
  void two_regions_a_join_that_is_given_up_and_one_that_needs_one_token_are_fine() {
    assertThat(check("r", "s", and(false))).isEmpty();
    assertThat(check("r", "r", and(true))).isEmpty();
    assertThat(check("r", "r", new Node.Join.Or(List.of("p", "q"), false))).isEmpty();
    assertThat(check("r", "r", new Node.Join.Blocking(1, List.of("p", "q"), false))).isEmpty();
  }
}
