package dev.damask.cases;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.MigrationResult;
import dev.damask.event.Choice;
import dev.damask.event.Mapping;
import dev.damask.event.Scheduler;
import dev.damask.event.TraceEvent;
import dev.damask.event.Tracer;
import dev.damask.exec.Machine;
import dev.damask.exec.Migration;
import dev.damask.exec.StateCodec;
import dev.damask.history.JournalMode;
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
/// for each case with its own scheduler.
final class Machines {
  private static final int TYPICAL_EVENTS = 32;

  private record Kind(ProgramHash program, Limits limits, TraceLevel trace) {}

  private final EngineOptions options;
  private final Map<Kind, Machine> shared = new HashMap<>();

  /// Where the trace of the case that moves goes; null while none moves.
  private @Nullable ArrayList<TraceEvent> tracing;

  private @Nullable LiveCase moving;

  Machines(EngineOptions options) {
    this.options = options;
  }

  /// From now on what is traced and chosen belongs to this case; null for none.
  void trace(@Nullable LiveCase next) {
    moving = next;
    tracing = next == null ? null : next.trace;
  }

  /// A case was read from the store.
  void resumed(LiveCase loaded) {
    if (loaded.record != null) {
      options.watch().resumed(loaded.record, () -> StateCodec.encode(loaded.state));
    }
  }

  /// @param salt makes the choices of a case that was read again differ from those before
  Machine machine(String caseId, Program program, CaseOptions own, long salt) {
    Limits limits = own.limits().orElse(program.limits());
    TraceLevel level = own.trace().orElse(options.traceLevel());
    Scheduler scheduler = scheduler(caseId, own, salt);
    if (!scheduler.isInOrder()) {
      return make(program, limits, level, new Watched(caseId, scheduler));
    }
    return shared.computeIfAbsent(
        new Kind(program.hash(), limits, level),
        _ -> make(program, limits, level, InOrder.INSTANCE));
  }

  private Scheduler scheduler(String caseId, CaseOptions own, long salt) {
    return options
        .schedulers
        .apply(caseId)
        .orElseGet(() ->
            own.seed().isPresent()
                ? Seeded.withoutLog(own.seed().getAsLong() + salt)
                : InOrder.INSTANCE);
  }

  /// Shows every choice to the watch and to the journal.
  private final class Watched implements Scheduler {
    private final String caseId;
    private final Scheduler scheduler;

    Watched(String caseId, Scheduler scheduler) {
      this.caseId = caseId;
      this.scheduler = scheduler;
    }

    @Override
    public boolean isInOrder() {
      return false;
    }

    @Override
    public int choose(Choice choice) {
      int taken = scheduler.choose(choice);
      options.watch().chose(caseId, choice, taken);
      if (moving != null && options.journal() == JournalMode.INPUTS) {
        moving.inputs().chose(taken);
      }
      return taken;
    }
  }

  /// Tries what [#move] does and changes nothing. The machine is one of its own: of a program whose
  /// code is missing there is only the description.
  MigrationResult attempt(LiveCase live, Program target, Mapping mapping) {
    Limits limits = live.terms.options().limits().orElse(target.limits());
    Machine machine = make(target, limits, TraceLevel.NONE, InOrder.INSTANCE);
    return switch (Migration.plan(live.state, machine, mapping)) {
      case Migration.Refused(var reasons) -> new MigrationResult.Refused(reasons, live.revision());
      case Migration.Migrated _ -> new MigrationResult.Moved(live.revision());
    };
  }

  /// Moves the state of a case to another version of its workflow: all of it, or nothing with the
  /// reasons.
  MigrationResult move(LiveCase live, Program target, Mapping mapping) {
    Machine machine = machine(live.id, target, live.terms.options(), live.revision());
    return switch (Migration.plan(live.state, machine, mapping)) {
      case Migration.Refused(var reasons) -> new MigrationResult.Refused(reasons, 0);
      case Migration.Migrated(var state) -> {
        live.machine = machine;
        live.state = state;
        live.workflow = target.name();
        yield new MigrationResult.Moved(0);
      }
    };
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
          tracing.ensureCapacity(isFull ? TYPICAL_EVENTS : TYPICAL_EVENTS / 4);
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
