package dev.damask.cases;

import dev.damask.exec.Machine;
import dev.damask.exec.Scheduler;
import dev.damask.exec.TraceEvent;
import dev.damask.exec.Tracer;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.InOrder;
import dev.damask.schedule.Seeded;
import dev.damask.term.Limits;
import dev.damask.trace.TraceLevel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The machines of one shard: one for all cases of a program that agreed on nothing special, one
/// for each case whose choices are made by chance.
final class Machines {
  private static final int TYPICAL_EVENTS = 32;

  private record Kind(ProgramHash program, Limits limits, TraceLevel trace) {}

  private final EngineOptions options;
  private final Map<Kind, Machine> shared = new HashMap<>();

  /// Where the trace of the case that moves goes; null while none moves.
  private @Nullable ArrayList<TraceEvent> tracing;

  Machines(EngineOptions options) {
    this.options = options;
  }

  /// From now on what is traced belongs to this list.
  void trace(@Nullable ArrayList<TraceEvent> events) {
    tracing = events;
  }

  /// @param salt makes the choices of a case that was read again differ from those before
  Machine machine(Program program, CaseOptions own, long salt) {
    Limits limits = own.limits().orElse(program.limits());
    TraceLevel level = own.trace().orElse(options.traceLevel());
    if (own.seed().isPresent()) {
      return make(program, limits, level, Seeded.withoutLog(own.seed().getAsLong() + salt));
    }
    return shared.computeIfAbsent(
        new Kind(program.hash(), limits, level),
        _ -> make(program, limits, level, InOrder.INSTANCE));
  }

  private Machine make(Program program, Limits limits, TraceLevel level, Scheduler scheduler) {
    Tracer tracer = level == TraceLevel.NONE ? null : new CaseTracer(level == TraceLevel.FULL);
    return new Machine(program, new Machine.Options(scheduler, limits, false, tracer));
  }

  /// Hands the trace to the case that moves.
  private final class CaseTracer implements Tracer {
    private final boolean isFull;

    CaseTracer(boolean isFull) {
      this.isFull = isFull;
    }

    @Override
    public void accept(TraceEvent event) {
      if (tracing != null) {
        if (tracing.isEmpty()) {
          tracing.ensureCapacity(TYPICAL_EVENTS);
        }
        tracing.add(event);
      }
    }

    @Override
    public boolean wantsAll() {
      return isFull;
    }
  }
}
