package dev.damask.testkit;

import dev.damask.exec.ExecState;
import dev.damask.exec.Input;
import dev.damask.exec.Machine;
import dev.damask.exec.Outcome;
import dev.damask.exec.Reply;
import dev.damask.exec.Scheduler;
import dev.damask.exec.StateCodec;
import dev.damask.exec.Tracer;
import dev.damask.program.Program;
import dev.damask.task.Context;
import java.util.Arrays;
import java.util.OptionalLong;

/// One case on a bare machine in virtual time.
public final class MachineCase implements ScenarioRunner.Stage {
  private final Machine machine;
  private final boolean rewritten;
  private ExecState state;

  /// How a case is run.
  ///
  /// @param raw whether to run the program as the compiler emitted it
  /// @param rewritten whether the state is written out and read back before every input
  /// @param quantum how many steps the machine takes at a time
  public record Style(Scheduler scheduler, boolean raw, boolean rewritten, int quantum) {}

  private final int quantum;

  /// Starts a case at time zero and runs it until it waits.
  public MachineCase(Program program, Style style, Context context, Tracer tracer) {
    this.machine =
        new Machine(
            program, new Machine.Options(style.scheduler(), program.limits(), style.raw(), tracer));
    this.rewritten = style.rewritten();
    this.quantum = style.quantum();
    this.state = machine.start(context, 0);
    run();
  }

  /// Applies one input and runs until the case waits again.
  @Override
  public Reply apply(Input input) {
    if (rewritten) {
      rewrite();
    }
    Reply reply = machine.apply(state, input);
    run();
    return reply;
  }

  /// Moves the clock, stopping at every timer on the way.
  @Override
  public void advance(long millis) {
    long target = state.clock() + millis;
    OptionalLong due = state.nextDue();
    while (due.isPresent() && due.getAsLong() <= target && !state.isDone()) {
      apply(new Input.Advance(due.getAsLong()));
      due = state.nextDue();
    }
    apply(new Input.Advance(target));
  }

  private void run() {
    Outcome outcome = machine.run(state, quantum);
    while (outcome instanceof Outcome.Yielded) {
      if (rewritten) {
        rewrite();
      }
      outcome = machine.run(state, quantum);
    }
  }

  private void rewrite() {
    byte[] bytes = StateCodec.encode(state);
    state = StateCodec.decode(machine, bytes);
    if (!Arrays.equals(bytes, StateCodec.encode(state))) {
      throw new IllegalStateException("a state that was read back is written differently");
    }
  }

  @Override
  public ExecState state() {
    return state;
  }

  public Outcome outcome() {
    return machine.outcome(state);
  }
}
