package dev.damask.simulation;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.compile.Compiler;
import dev.damask.event.Input;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.value.Context;
import org.junit.jupiter.api.Test;

/// What is repeated from the inputs has to be what was stored.
final class RepetitionTest {
  private static final int QUANTUM = 100;
  private static final Input SIGNAL = new Input.Signal("s", Context.of("k", 1));

  private final Program program =
      Compiler.compile(workflow("w", repeat(3, defer(on("s", task("t", c -> c.with("n", 1)))))));
  private final Machine machine =
      new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
  private final Repetition repetition = new Repetition(_ -> machine);

  private ExecState started() {
    ExecState state = machine.start(Context.empty(), 5);
    machine.run(state, QUANTUM);
    repetition.started("one", Context.empty(), 5);
    repetition.ran("one", QUANTUM);
    repetition.committed("one", 1);
    return state;
  }

  private static CaseRecord record(long revision, ExecState state) {
    return CaseRecord.of("one", revision, 1, CaseStatus.WAITING, "w")
        .withState(StateCodec.encode(state));
  }

  @Test
  void every_revision_is_what_its_inputs_give() {
    ExecState state = started();
    repetition.check(record(1, state), machine);
    machine.apply(state, SIGNAL);
    machine.run(state, QUANTUM);
    repetition.applied("one", SIGNAL);
    repetition.ran("one", QUANTUM);
    repetition.committed("one", 2);

    assertThatCode(() -> repetition.check(record(2, state), machine)).doesNotThrowAnyException();
  }

  @Test
  void what_a_crash_has_lost_counts_no_more() {
    ExecState state = started();
    repetition.check(record(1, state), machine);
    repetition.applied("one", SIGNAL);
    repetition.committed("one", 2); // this commit never reached the disk
    repetition.applied("one", SIGNAL);
    repetition.forget();
    machine.apply(state, SIGNAL);
    repetition.applied("one", SIGNAL);
    repetition.committed("one", 2);

    assertThatCode(() -> repetition.check(record(2, state), machine)).doesNotThrowAnyException();
  }

  @Test
  void an_input_that_was_applied_twice_is_found() {
    ExecState state = started();
    repetition.check(record(1, state), machine);
    machine.apply(state, SIGNAL);
    machine.run(state, QUANTUM);
    machine.apply(state, SIGNAL);
    repetition.applied("one", SIGNAL);
    repetition.ran("one", QUANTUM);
    repetition.committed("one", 2);

    assertThatThrownBy(() -> repetition.check(record(2, state), machine))
        .isInstanceOf(InvariantViolation.class)
        .hasMessageContaining("is not what its inputs give");
  }
}
