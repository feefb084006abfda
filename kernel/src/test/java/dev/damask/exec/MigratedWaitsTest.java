package dev.damask.exec;

import static dev.damask.exec.MigrationTest.moved;
import static dev.damask.exec.MigrationTest.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.Mapping;
import dev.damask.term.Flow;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import org.junit.jupiter.api.Test;

/// A wait keeps what it accepts when its case is moved to another version.
final class MigratedWaitsTest {
  private static final Term A = Flow.effect("A");
  private static final Term B = Flow.effect("B");
  private static final Term C = Flow.effect("C");

  private static WorkflowDefinition goAndNo(Term body) {
    return MigrationTest.of(body).withPlaces(Place.external("go"), Place.external("no"));
  }

  @Test
  void a_wait_for_one_place_never_becomes_a_wait_for_another() {
    Play play = Play.start(goAndNo(Flow.defer(Flow.taking("go", A))));
    WorkflowDefinition next = goAndNo(Flow.defer(Flow.taking("no", A)));

    assertThat(refused(play, next))
        .singleElement()
        .asString()
        .contains("the wait waits at do", "has no similar construct there");
    Mapping mapping = Mapping.NONE.place("go", "no").place("no", "go");
    assertThat(moved(play, next, mapping).signal("no")).isEqualTo("A+");
  }

  @Test
  void waits_that_change_their_order_do_not_exchange_their_places() {
    Term first = Flow.defer(Flow.taking("go", Flow.seq(A, B, C)));
    Term second = Flow.defer(Flow.taking("no", Flow.seq(A, B, C)));
    Play play = Play.start(goAndNo(Flow.seq(first, second)));

    assertThat(refused(play, goAndNo(Flow.seq(second, first))))
        .containsExactly("the wait waits at do[0]; the new version has no similar construct there");
  }

  @Test
  void branches_that_change_their_order_do_not_exchange_their_waits() {
    Term first = Flow.defer(Flow.taking("go", A));
    Term second = Flow.defer(Flow.taking("no", A));
    Play play = Play.start(goAndNo(Flow.par(first, second)));

    assertThat(refused(play, goAndNo(Flow.par(second, first)))).hasSize(2);
  }

  @Test
  void a_wait_that_takes_does_not_become_one_that_tests_nor_loses_an_alternative() {
    Play play = Play.start(goAndNo(Flow.defer(Flow.taking("go", A), Flow.taking("no", B))));

    assertThat(refused(play, goAndNo(Flow.defer(Flow.testing("go", A), Flow.taking("no", B)))))
        .hasSize(1);
    assertThat(refused(play, goAndNo(Flow.defer(Flow.taking("go", A))))).hasSize(1);
    assertThat(
            moved(play, goAndNo(Flow.defer(Flow.taking("no", B), Flow.taking("go", A))))
                .signal("no"))
        .isEqualTo("B+");
  }
}
