package dev.damask.exec;

import static dev.damask.exec.Play.everywhere;
import static dev.damask.exec.Play.pure;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.graph;
import static dev.damask.term.Flow.node;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.set;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.to;
import static dev.damask.term.Flow.toAll;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.Status;
import dev.damask.task.Expression;
import dev.damask.term.Node;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What once went wrong in graphs.
final class NetRegressionTest {
  private static final List<String> PQ = List.of("p", "q");

  @Test
  void a_cancelling_join_overlooked_a_token_that_a_split_had_sent_but_that_had_not_moved() {
    Term term =
        graph(
            toAll("p", "q"),
            node("p", pure("a"), to("j")),
            node("q", pure("b"), to("j")),
            node("j", new Node.Join.Cancelling(1, PQ, PQ, false), pure("c"), to("end")));

    everywhere(
        term,
        play -> {
          assertThat(play.see()).isEqualTo("a c");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void a_cancelling_join_withdrew_in_another_order_after_the_state_was_read_back() {
    List<String> all = List.of("p", "q", "z");
    Term term =
        graph(
            toAll("p", "q", "z"),
            node("p", seq(scope("s", effect("S")), effect("A")), to("j")),
            node("q", effect("B"), to("j")),
            node("z", effect("Z"), to("j")),
            node("j", new Node.Join.Cancelling(1, all, all, false), pure("c"), to("end")));

    everywhere(
        term,
        play -> {
          play.done("S");
          assertThat(play.done("Z")).isEqualTo("Z- A× B× c");
        });
  }

  @Test
  void an_or_join_fired_before_the_time_out_of_a_scope_could_bring_its_token() {
    ScopeOptions options = new ScopeOptions(Duration.ofSeconds(5), pure("b"), null, false, null);
    Term term =
        graph(
            toAll("p", "q"),
            node("p", effect("A"), to("j")),
            node("q", scope("r", options, take("w")), to("j")),
            node("j", new Node.Join.Or(PQ, false), pure("d"), to("end")));

    everywhere(
        term,
        play -> {
          assertThat(play.done("A")).isEqualTo("A-");
          assertThat(play.advance(6_000)).isEqualTo("b d");
        });
  }

  @Test
  void the_newest_of_two_deletions_lost_against_a_write_between_them() {
    Map<String, Integer> weights = new LinkedHashMap<>();
    List.of("p", "q", "r").forEach(source -> weights.put(source, 1));
    Term term =
        graph(
            toAll("p", "q", "r"),
            node("p", seq(effect("P"), pure("a", c -> c.without("k"))), to("j")),
            node("q", seq(effect("Q"), pure("b", c -> c.without("k"))), to("j")),
            node("r", seq(effect("R"), pure("c", c -> c.with("k", 7))), to("j")),
            node("j", new Node.Join.And(weights, false), pure("d"), to("end")));

    everywhere(
        seq(set("k", Expression.constant(0)), term),
        play -> {
          play.done("P");
          play.done("R");
          assertThat(play.done("Q")).isEqualTo("Q- b d");
          assertThat(play.result().has("k")).isFalse();
        });
  }
}
