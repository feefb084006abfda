package dev.damask.trace;

import dev.damask.exec.ExecState;
import dev.damask.exec.Input;
import dev.damask.exec.Machine;
import dev.damask.exec.Outcome;
import dev.damask.exec.Reply;
import dev.damask.exec.Scheduler;
import dev.damask.exec.Tracer;
import dev.damask.program.Program;
import dev.damask.schedule.Seeded;
import dev.damask.task.Context;
import dev.damask.term.Limits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Runs one case in memory and writes down what is needed to repeat it.
public final class Recorder {
  private final Program program;
  private final Machine machine;
  private final Scheduler scheduler;
  private final @Nullable TraceLog log;
  private final TraceLevel level;
  private final Context context;
  private final long clockMillis;
  private final List<Input> inputs = new ArrayList<>();
  private final ExecState state;

  /// Starts a case and runs it until it waits.
  public Recorder(
      Program program, Scheduler scheduler, TraceLevel level, Context context, long clockMillis) {
    this(program, program.limits(), scheduler, level, context, clockMillis);
  }

  private Recorder(
      Program program,
      Limits limits,
      Scheduler scheduler,
      TraceLevel level,
      Context context,
      long clockMillis) {
    this.program = program;
    this.scheduler = scheduler;
    this.level = level;
    this.context = context;
    this.clockMillis = clockMillis;
    this.log = level == TraceLevel.NONE ? null : new TraceLog(level);
    Tracer tracer = log;
    this.machine = new Machine(program, new Machine.Options(scheduler, limits, false, tracer));
    this.state = machine.start(context, clockMillis);
    runUntilBlocked();
  }

  /// Applies one input and runs until the case waits again.
  public Reply apply(Input input) {
    inputs.add(input);
    Reply reply = machine.apply(state, input);
    runUntilBlocked();
    return reply;
  }

  private void runUntilBlocked() {
    while (machine.run(state, Machine.QUANTUM) instanceof Outcome.Yielded) {
      // A case in memory has no other case to make room for.
    }
  }

  public ExecState state() {
    return state;
  }

  public Outcome outcome() {
    return machine.outcome(state);
  }

  public Recording recording() {
    return new Recording(
        program.hash(),
        context,
        clockMillis,
        scheduler.isInOrder(),
        level,
        inputs,
        scheduler instanceof Seeded seeded ? seeded.log() : List.of(),
        log == null ? List.of() : log.events());
  }
}
