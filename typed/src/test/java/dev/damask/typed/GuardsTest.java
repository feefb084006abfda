package dev.damask.typed;

import static dev.damask.typed.Steps.arc;
import static dev.damask.typed.Steps.graph;
import static dev.damask.typed.Steps.node;
import static dev.damask.typed.Steps.otherwise;
import static dev.damask.typed.Steps.otherwiseTo;
import static dev.damask.typed.Steps.repeatUntil;
import static dev.damask.typed.Steps.repeatWhile;
import static dev.damask.typed.Steps.set;
import static dev.damask.typed.Steps.skip;
import static dev.damask.typed.Steps.task;
import static dev.damask.typed.Steps.to;
import static dev.damask.typed.Steps.toFirst;
import static dev.damask.typed.Steps.when;
import static dev.damask.typed.Steps.workflow;
import static dev.damask.typed.Steps.xor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cases.Engine;
import dev.damask.term.Workflow;
import dev.damask.value.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Conditions on one to three keys: branches, loops and arcs.
@Timeout(30)
final class GuardsTest {
  private static final Key<Integer> N = Key.of("n", Integer.class);
  private static final Key<Integer> STEP = Key.of("step", Integer.class);
  private static final Key<Integer> MAX = Key.of("max", Integer.class);
  private static final Key<String> OUT = Key.of("out", String.class);

  private static <T> T run(Workflow<Integer, T> flow, int n) {
    try (Engine engine = Engine.open(flow)) {
      return engine.start(flow, "one", n).join();
    }
  }

  private static Workflow<Integer, Integer> counting(Step loop) {
    return workflow("w", N, N, set(STEP, 3), set(MAX, 10), loop);
  }

  private static Step more() {
    return task("add", N, STEP, Integer::sum).as(N);
  }

  private static boolean fits(int n, int step, int max) {
    return n + step <= max;
  }

  @Test
  void a_branch_tests_up_to_three_keys() {
    Workflow<Integer, String> flow =
        workflow(
            "w",
            N,
            OUT,
            set(STEP, 3),
            set(MAX, 10),
            xor(
                when("three", N, STEP, MAX, GuardsTest::fits, set(OUT, "three")),
                when("two", N, STEP, (n, step) -> n > step, set(OUT, "two")),
                when("one", N, n -> n < 0, set(OUT, "one")),
                otherwise(set(OUT, "none"))));

    assertThat(run(flow, 7)).isEqualTo("three");
    assertThat(run(flow, 8)).isEqualTo("two");
  }

  @Test
  void loops_test_up_to_three_keys() {
    assertThat(run(counting(repeatWhile("fits", N, STEP, MAX, GuardsTest::fits, more())), 0))
        .isEqualTo(9);
    assertThat(run(counting(repeatWhile("below", N, MAX, (n, max) -> n < max, more())), 0))
        .isEqualTo(12);
    assertThat(
            run(
                counting(
                    repeatUntil(
                        "full", N, STEP, MAX, (n, step, max) -> !fits(n, step, max), more())),
                20))
        .isEqualTo(23);
    assertThat(run(counting(repeatUntil("above", N, MAX, (n, max) -> n > max, more())), 0))
        .isEqualTo(12);
  }

  @Test
  void arcs_test_up_to_three_keys() {
    Workflow<Integer, Integer> flow =
        counting(
            graph(
                to("a"),
                node(
                    "a",
                    skip(),
                    toFirst(
                        arc("fits", N, STEP, MAX, GuardsTest::fits, "b"),
                        arc("below", N, MAX, (n, max) -> n < max, "b"),
                        otherwiseTo("end"))),
                node("b", more(), to("a"))));

    assertThat(run(flow, 0)).isEqualTo(12);
  }

  @Test
  void a_key_of_a_condition_that_is_missing_is_named_with_the_condition() {
    assertThatThrownBy(() ->
            workflow(
                "w",
                N,
                set(STEP, 3),
                xor(when("fits", N, STEP, MAX, GuardsTest::fits), otherwise())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'fits' reads 'max'")
        .hasMessageContaining("available here: [n, step]");
    assertThatThrownBy(() -> repeatWhile(" ", N, STEP, MAX, GuardsTest::fits))
        .hasMessageContaining("a condition needs a name");
  }
}
