package dev.damask.exec;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.taking;
import static dev.damask.term.Flow.takingAll;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.term.Limits;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What waits on the external places of a case has a bound in bytes.
final class BufferedInputTest {
  private static final int MAX = 10_000;
  private static final Context LARGE = Context.of("text", "x".repeat(3_000));

  /// A case that waits for something first, and then for place q.
  private record Waiting(Machine machine, ExecState state) {
    static Waiting on(Term first) {
      WorkflowDefinition flow =
          workflow("w", seq(first, defer(taking("q", effect("B")))))
              .withPlaces(Place.external("p"), Place.external("q"))
              .withLimits(Limits.DEFAULT.withBytes(MAX, MAX));
      Program program = Compiler.compile(flow);
      Machine machine =
          new Machine(
              program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
      ExecState state = machine.start(Context.empty(), 0);
      machine.run(state, 1_000);
      return new Waiting(machine, state);
    }

    Reply signal(String place) {
      Input.Signal signal = new Input.Signal(place, LARGE);
      boolean overflows = machine.overflows(state, signal);
      Reply reply = machine.apply(state, signal);
      machine.run(state, 1_000);
      assertThat(reply == Reply.REJECTED || !overflows).isTrue();
      return reply;
    }
  }

  private final Waiting one = Waiting.on(defer(taking("p", effect("A"))));

  @Test
  void signals_beyond_the_bound_are_rejected_and_change_nothing() {
    for (int i = 0; i < 3; i++) {
      assertThat(one.signal("q")).isEqualTo(Reply.BUFFERED);
    }
    byte[] before = StateCodec.encode(one.state);

    assertThat(one.signal("q")).isEqualTo(Reply.REJECTED);
    assertThat(one.machine.overflows(one.state, new Input.Signal("q", LARGE))).isTrue();
    assertThat(StateCodec.encode(one.state)).isEqualTo(before);
  }

  @Test
  void a_signal_that_is_taken_at_once_is_accepted_whatever_waits_elsewhere() {
    for (int i = 0; i < 3; i++) {
      one.signal("q");
    }

    assertThat(one.signal("p")).isEqualTo(Reply.ACCEPTED);
  }

  @Test
  void a_token_that_waits_for_more_than_this_place_does_not_lift_the_bound() {
    Waiting both = Waiting.on(defer(takingAll(List.of("p", "q"), effect("A"))));
    for (int i = 0; i < 3; i++) {
      assertThat(both.signal("p")).isEqualTo(Reply.BUFFERED);
    }

    assertThat(both.signal("p")).isEqualTo(Reply.REJECTED);
    assertThat(both.signal("q")).isEqualTo(Reply.ACCEPTED);
    assertThat(both.signal("p")).isEqualTo(Reply.BUFFERED);
  }
}
