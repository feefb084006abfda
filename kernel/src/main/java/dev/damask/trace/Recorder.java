package dev.damask.trace;

import dev.damask.exec.ExecState;
import dev.damask.exec.Input;
import dev.damask.exec.Machine;
import dev.damask.exec.Outcome;
import dev.damask.exec.Reply;
import dev.damask.exec.Scheduler;
import dev.damask.exec.TraceEvent;
import dev.damask.exec.Tracer;
import dev.damask.program.Program;
import dev.damask.schedule.Replaying;
import dev.damask.schedule.Seeded;
import dev.damask.task.Context;
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

  /// How a case is run and watched.
  ///
  /// @param watcher sees the trace as it happens, whatever the level; null when nobody watches
  public record Style(Scheduler scheduler, TraceLevel level, @Nullable Tracer watcher) {}

  /// Starts a case and runs it until it waits.
  public Recorder(
      Program program, Scheduler scheduler, TraceLevel level, Context context, long clockMillis) {
    this(program, new Style(scheduler, level, null), context, clockMillis);
  }

  /// Starts a case and runs it until it waits.
  public Recorder(Program program, Style style, Context context, long clockMillis) {
    this.program = program;
    this.scheduler = style.scheduler();
    this.level = style.level();
    this.context = context;
    this.clockMillis = clockMillis;
    this.log = level == TraceLevel.NONE ? null : new TraceLog(level);
    Tracer tracer = log == null ? style.watcher() : both(log, style.watcher());
    this.machine =
        new Machine(program, new Machine.Options(scheduler, program.limits(), false, tracer));
    this.state = machine.start(context, clockMillis);
    runUntilBlocked();
  }

  private static Tracer both(TraceLog log, @Nullable Tracer watcher) {
    return watcher == null ? log : new Pair(log, watcher);
  }

  /// Two tracers, each of which gets what it wants and no more.
  private record Pair(Tracer one, Tracer other) implements Tracer {
    @Override
    public void accept(TraceEvent event) {
      if (one.wantsAll() || event.kind().isMinimal()) {
        one.accept(event);
      }
      if (other.wantsAll() || event.kind().isMinimal()) {
        other.accept(event);
      }
    }

    @Override
    public boolean wantsAll() {
      return one.wantsAll() || other.wantsAll();
    }
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
        choices(),
        log == null ? List.of() : log.events());
  }

  private List<Seeded.Decision> choices() {
    return switch (scheduler) {
      case Seeded seeded -> seeded.log();
      case Replaying replaying -> replaying.taken();
      default -> List.of();
    };
  }
}
