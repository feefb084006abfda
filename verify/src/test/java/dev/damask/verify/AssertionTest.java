package dev.damask.verify;

import static dev.damask.term.Flow.anyOf;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.task.Guard;
import dev.damask.term.Term;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AssertionTest {
  private static final Guard GUARD = Guard.named("n > 0", context -> true);

  private static Verdict check(Assertion assertion, Term... parts) {
    Options options = Options.DEFAULT.withAssertions(List.of(assertion));
    return Verifier.check(workflow("w", parts), options);
  }

  private static void refutes(Verdict verdict) {
    assertThat(verdict).isInstanceOf(Verdict.Refuted.class);
    assertThat(((Verdict.Refuted) verdict).violations().getFirst().property())
        .isEqualTo(Property.ASSERTION);
  }

  @Test
  void never_before() {
    Assertion shipsLast = new Assertion.NeverBefore("ship", "pay");

    assertThat(check(shipsLast, effect("pay"), effect("ship")).isProved()).isTrue();
    refutes(check(shipsLast, effect("ship"), effect("pay")));
    refutes(check(shipsLast, par(effect("ship"), effect("pay"))));
    refutes(check(shipsLast, anyOf(effect("pay"), skip()), effect("ship")));
  }

  @Test
  void at_most_once() {
    Assertion once = new Assertion.AtMostOnce("pay");

    assertThat(check(once, anyOf(effect("pay"), skip())).isProved()).isTrue();
    refutes(check(once, repeatWhile(GUARD, effect("pay"))));
    refutes(check(once, par(effect("pay"), task("pay", context -> context))));
  }

  @Test
  void leads_to() {
    Assertion ships = new Assertion.LeadsTo("pay", "ship");

    assertThat(check(ships, effect("pay"), effect("ship")).isProved()).isTrue();
    assertThat(check(ships, effect("pay"), repeatWhile(GUARD, effect("pack")), effect("ship")))
        .isInstanceOf(Verdict.Proved.class);
    refutes(check(ships, effect("pay"), anyOf(effect("ship"), skip())));
  }

  @Test
  void never_together() {
    Assertion apart = new Assertion.NeverTogether("A", "B");

    assertThat(check(apart, effect("A"), effect("B")).isProved()).isTrue();
    assertThat(check(apart, par(seq(effect("A"), effect("B")), effect("C"))).isProved()).isTrue();
    refutes(check(apart, par(effect("A"), effect("B"))));
  }
}
