package dev.damask.verify;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Term;
import org.junit.jupiter.api.Test;

/// How much a search keeps, and how far it gets with it.
final class FootprintTest {
  private static Program fork(int branches) {
    Term[] terms = new Term[branches];
    for (int i = 0; i < branches; i++) {
      terms[i] = effect("t" + i);
    }
    return Compiler.compile(workflow("w", par(terms)));
  }

  @Test
  void a_visited_state_of_a_small_program_takes_at_most_sixteen_bytes() {
    for (int branches = 10; branches <= 18; branches++) {
      PackedNet net = ProgramNet.of(fork(branches), 1).orElseThrow().net();
      LongSearch search = new LongSearch(net, Long.MAX_VALUE, new Meter(Options.DEFAULT));

      search.run();

      assertThat(search.states()).isEqualTo((1L << branches) + 3);
      assertThat(search.tableBytes()).isLessThanOrEqualTo(16 * search.states());
    }
  }

  @Test
  void instances_that_cannot_be_told_apart_are_counted_and_not_listed() {
    Term body = seq(effect("a"), effect("b"), effect("c"));

    Verdict verdict = Verifier.check(workflow("w", instances("m", InstancePolicy.fixed(20), body)));

    assertThat(verdict.isProved()).as(verdict.toString()).isTrue();
    assertThat(verdict.statistics().states()).isLessThan(5_000);
  }

  @Test
  void with_reduction_a_fork_costs_states_in_proportion_to_its_branches() {
    Options reduced = Options.DEFAULT.withReduction(Reduction.ALWAYS);

    Verdict verdict = Verifier.check(fork(200), reduced);

    assertThat(verdict.isProved()).as(verdict.toString()).isTrue();
    assertThat(verdict.statistics().states()).isLessThan(500);
  }

  @Test
  void memory_and_time_have_bounds_that_end_in_unknown() {
    Options options = Options.DEFAULT.withReduction(Reduction.NONE);

    Verdict memory = Verifier.check(fork(22), options.withStates(1L << 40).withBytes(1 << 20));
    Verdict time = Verifier.check(fork(26), options.withStates(1L << 40).withMillis(1));
    Verdict told = Verifier.check(fork(22), options.withProgress((states, rate) -> false));

    assertThat(memory.toString()).contains("because its memory limit of 1 MB was reached");
    assertThat(time.toString()).contains("because its time limit of 1 ms was reached");
    assertThat(told.toString()).contains("because it was cancelled");
    assertThat(memory.word()).isEqualTo("unknown");
  }

  @Test
  void a_bound_of_states_that_is_enough_for_a_reduced_search_decides() {
    assertThat(Verifier.check(fork(30), Options.DEFAULT.withStates(200)).isProved()).isTrue();
  }

  @Test
  void forty_assertions_are_watched_in_turns() {
    java.util.List<Assertion> all = new java.util.ArrayList<>();
    for (int i = 0; i < 40; i++) {
      all.add(new Assertion.AtMostOnce("t" + i % 3));
    }
    all.add(new Assertion.NeverTogether("t0", "t1"));

    Verdict verdict = Verifier.check(fork(3), Options.DEFAULT.withAssertions(all));

    assertThat(verdict).isInstanceOf(Verdict.Refuted.class);
    assertThat(((Verdict.Refuted) verdict).violations()).hasSize(1);
    Verdict good = Verifier.check(fork(3), Options.DEFAULT.withAssertions(all.subList(0, 40)));
    assertThat(good.isProved()).as(good.toString()).isTrue();
  }

  @Test
  void signals_of_forty_places_are_counted_apart() {
    Term[] terms = new Term[40];
    for (int i = 0; i < terms.length; i++) {
      terms[i] = dev.damask.term.Flow.defer(dev.damask.term.Flow.on("p" + i, effect("t" + i)));
    }
    Options once = Options.DEFAULT.withSignals(Options.Signals.ONCE);

    assertThat(Verifier.check(workflow("w", seq(terms)), once).isProved()).isTrue();
  }
}
