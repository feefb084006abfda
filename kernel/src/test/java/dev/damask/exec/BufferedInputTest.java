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
import dev.damask.state.PlaceState;
import dev.damask.term.Limits;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// What waits on the external places of a case has a bound in bytes.
final class BufferedInputTest {
  private static final int MAX = 10_000;
  private static final Context LARGE = Context.of("text", "x".repeat(3_000));

  private static WorkflowDefinition flow(Term first, Limits limits) {
    return workflow("w", seq(first, defer(taking("q", effect("B")))))
        .withPlaces(Place.external("p"), Place.external("q"))
        .withLimits(limits);
  }

  /// A case that waits for something first, and then for place q.
  private record Waiting(Machine machine, ExecState state) {
    static Waiting on(Term first) {
      Program program = Compiler.compile(flow(first, Limits.DEFAULT.withBytes(MAX, MAX)));
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

  @Test
  void a_signal_visits_only_its_own_token_whatever_is_buffered() {
    Program program = Compiler.compile(flow(defer(taking("p", effect("A"))), Limits.DEFAULT));
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    ExecState state = machine.start(Context.empty(), 0);
    CountingDeque tokens = new CountingDeque();
    PlaceState[] places = Objects.requireNonNull(state.places);
    places[program.placeIndex("q")] = new PlaceState(tokens);
    machine.run(state, 1_000);
    StateLog log = StateLog.of(state, new StateLog.CaseKey("one", 0));
    log.base();

    for (int i = 0; i < 1_000; i++) {
      tokens.visited = 0;
      long parts = log.encoded();
      Input.Signal signal = new Input.Signal("q", Context.of("number", i));

      assertThat(machine.overflows(state, signal)).isFalse();
      assertThat(machine.apply(state, signal)).isEqualTo(Reply.BUFFERED);
      machine.run(state, 1_000);
      log.delta();

      assertThat(tokens.visited).isLessThanOrEqualTo(1);
      assertThat(log.encoded() - parts).isLessThanOrEqualTo(1);
    }
    assertThat(tokens).hasSize(1_000);
  }

  @Test
  void the_bytes_that_wait_are_known_after_the_state_was_read() {
    for (int i = 0; i < 3; i++) {
      one.signal("q");
    }
    ExecState read = StateCodec.decode(one.machine, StateCodec.encode(one.state));

    assertThat(one.machine.overflows(read, new Input.Signal("q", LARGE))).isTrue();
    assertThat(one.machine.overflows(read, new Input.Signal("q", Context.empty()))).isFalse();
  }

  /// Counts the elements that are visited and not taken from an end.
  private static final class CountingDeque extends ArrayDeque<Context> {
    private static final long serialVersionUID = 1L;
    int visited;

    @Override
    public Iterator<Context> iterator() {
      return counting(super.iterator());
    }

    @Override
    public Iterator<Context> descendingIterator() {
      return counting(super.descendingIterator());
    }

    @Override
    public void forEach(Consumer<? super Context> action) {
      visited += size();
      super.forEach(action);
    }

    private Iterator<Context> counting(Iterator<Context> all) {
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return all.hasNext();
        }

        @Override
        public Context next() {
          visited++;
          return all.next();
        }
      };
    }
  }
}
