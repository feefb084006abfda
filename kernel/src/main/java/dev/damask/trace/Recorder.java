package dev.damask.trace;

import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.Reply;
import dev.damask.event.Scheduler;
import dev.damask.event.TraceEvent;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.program.Program;
import dev.damask.schedule.Replaying;
import dev.damask.schedule.Seeded;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Runs one case in memory and writes down what is needed to repeat it.
public final class Recorder {
  private final Program program;
  private final Scheduler scheduler;
  private final @Nullable TraceLog log;
  private final TraceLevel level;
  private final Context context;
  private final long clockMillis;
  private final Bytes begin;
  private final List<Input> inputs = new ArrayList<>();
  private final SteppedCase stepped;

  /// How a case is run and watched.
  ///
  /// @param watcher receives every trace event, whatever the level; null for none
  public record Style(Scheduler scheduler, TraceLevel level, @Nullable Tracer watcher) {}

  /// Starts a case and runs it until it waits.
  public Recorder(
      Program program, Scheduler scheduler, TraceLevel level, Context context, long clockMillis) {
    this(program, new Style(scheduler, level, null), context, clockMillis);
  }

  /// Starts a case and runs it until it waits.
  public Recorder(Program program, Style style, Context context, long clockMillis) {
    this(program, style, context, clockMillis, Bytes.of());
  }

  /// Starts a case, or resumes one from its state, and runs it until it waits.
  Recorder(Program program, Style style, Context context, long clockMillis, Bytes begin) {
    this.program = program;
    this.scheduler = style.scheduler();
    this.level = style.level();
    this.context = context;
    this.clockMillis = clockMillis;
    this.begin = begin;
    this.log = level == TraceLevel.NONE ? null : new TraceLog(level);
    Tracer tracer = log == null ? style.watcher() : both(log, style.watcher());
    SteppedCase.Style steps = new SteppedCase.Style(scheduler, false, tracer);
    this.stepped =
        begin.length() == 0
            ? SteppedCase.start(program, steps, context, clockMillis)
            : SteppedCase.resume(program, steps, begin.toArray());
    stepped.runUntilBlocked();
  }

  private static Tracer both(TraceLog log, @Nullable Tracer watcher) {
    return watcher == null ? log : new Pair(log, watcher);
  }

  /// Two tracers, each of which receives the events of its level and no more.
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
    Reply reply = stepped.apply(input);
    stepped.runUntilBlocked();
    return reply;
  }

  /// Moves the clock of a case for which nothing is due; it takes no step before the next input.
  void pass(Input.Advance time) {
    inputs.add(time);
    stepped.apply(time);
  }

  /// Returns the state of the case.
  @SuppressWarnings("exports") // the state is for our own modules
  public ExecState state() {
    return stepped.state();
  }

  /// Returns why the case does not run.
  public Outcome outcome() {
    return stepped.outcome();
  }

  /// Returns everything recorded so far.
  public Recording recording() {
    return new Recording(
        program.hash(),
        context,
        clockMillis,
        begin,
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
