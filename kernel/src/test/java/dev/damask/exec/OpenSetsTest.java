package dev.damask.exec;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.par;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.Status;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Term;
import org.junit.jupiter.api.Test;

final class OpenSetsTest {
  @Test
  void a_case_that_waits_for_the_close_of_a_set_names_it() {
    Term open = instances("m", InstancePolicy.fixed(0).openUntilClosed(), effect("A"));
    Term other = instances("n", InstancePolicy.fixed(1).opened(), effect("B"));
    Play.everywhere(
        par(open, other),
        play -> {
          assertThat(play.outcome())
              .isInstanceOfSatisfying(
                  Outcome.Waits.class, waits -> assertThat(waits.sets()).containsExactly("m"));
          play.done("B");
          play.apply(new Input.CloseInstances("m"));
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }
}
