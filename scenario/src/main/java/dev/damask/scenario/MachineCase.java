package dev.damask.scenario;

import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.Reply;
import dev.damask.event.Scheduler;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.trace.SteppedCase;
import dev.damask.value.Context;
import java.util.Arrays;
import java.util.OptionalLong;

/// One case on a machine without an engine, in virtual time.
public final class MachineCase implements ScenarioRunner.Stage {
  private final SteppedCase stepped;
  private final boolean rewritten;

  /// The way in which a case is executed.
  ///
  /// @param raw whether to run the program without optimisation
  /// @param rewritten whether the state is encoded and decoded before every input
  /// @param quantum the number of steps per call of the machine
  public record Style(Scheduler scheduler, boolean raw, boolean rewritten, int quantum) {}

  private final int quantum;
  private final Runnable between;

  /// Starts a case at time zero and runs it until it waits.
  public MachineCase(Program program, Style style, Context context, Tracer tracer) {
    this(program, style, context, tracer, () -> {});
  }

  /// Starts a case at time zero and runs it until it waits, for a caller that may end the run.
  ///
  /// @param between is called before every call of the machine; what it throws ends the run
  public MachineCase(
      Program program, Style style, Context context, Tracer tracer, Runnable between) {
    this.between = between;
    this.stepped =
        SteppedCase.start(
            program, new SteppedCase.Style(style.scheduler(), style.raw(), tracer), context, 0);
    this.rewritten = style.rewritten();
    this.quantum = style.quantum();
    run();
  }

  /// Applies one input and runs until the case waits again.
  @Override
  public Reply apply(Input input) {
    if (rewritten) {
      rewrite();
    }
    Reply reply = stepped.apply(input);
    run();
    return reply;
  }

  /// Advances the clock and stops at every timer that is due.
  @Override
  public void advance(long millis) {
    long target = state().clock() + millis;
    OptionalLong due = state().nextDue();
    while (due.isPresent() && due.getAsLong() <= target && !state().isDone()) {
      apply(new Input.Advance(due.getAsLong()));
      due = state().nextDue();
    }
    apply(new Input.Advance(target));
  }

  private void run() {
    between.run();
    Outcome outcome = stepped.run(quantum);
    while (outcome instanceof Outcome.Yielded) {
      if (rewritten) {
        rewrite();
      }
      between.run();
      outcome = stepped.run(quantum);
    }
  }

  private void rewrite() {
    byte[] bytes = StateCodec.encode(stepped.state());
    if (!Arrays.equals(bytes, StateCodec.encode(stepped.load(bytes)))) {
      throw new IllegalStateException("a decoded state has another encoding");
    }
  }

  @Override
  @SuppressWarnings("exports") // the state is for our own modules
  public ExecState state() {
    return stepped.state();
  }

  /// Returns the latest outcome of the machine.
  public Outcome outcome() {
    return stepped.outcome();
  }
}
