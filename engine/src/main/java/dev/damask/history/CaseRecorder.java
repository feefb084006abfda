package dev.damask.history;

import dev.damask.event.Choice;
import dev.damask.event.Input;
import dev.damask.event.TraceEvent;
import dev.damask.intake.CaseTerms;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.Seeded.Decision;
import dev.damask.store.CaseRecord;
import dev.damask.trace.Recording;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// Records the cases of an engine: what comes in, which options are chosen, and what is traced. A
/// recording begins where the case does, or where the engine read it from the store.
public final class CaseRecorder implements CaseObserver {
  /// A case and what was recorded of it; up to the marks it belongs to a commit.
  private static final class Begun {
    private final Context context;
    private final long clockMillis;
    private final Bytes state;
    private final Optional<TraceLevel> level;
    private final List<Input> inputs = new ArrayList<>();
    private final List<Decision> choices = new ArrayList<>();
    private final List<TraceEvent> events = new ArrayList<>();
    private int inputsCommitted;
    private int choicesCommitted;
    private int eventsCommitted;

    Begun(Context context, long clockMillis, Bytes state, Optional<TraceLevel> level) {
      this.context = context;
      this.clockMillis = clockMillis;
      this.state = state;
      this.level = level;
    }
  }

  private final Map<String, Begun> cases = new HashMap<>(); // guarded by this object

  @Override
  public synchronized void started(String caseId, Context context, long now) {
    cases.put(caseId, new Begun(context, now, Bytes.of(), Optional.empty()));
  }

  /// A case that left memory and was read again continues its recording.
  @Override
  public synchronized void resumed(CaseRecord record, Supplier<byte[]> state) {
    cases.computeIfAbsent(
        record.caseId(),
        _ ->
            new Begun(
                Context.empty(),
                record.changedMillis(),
                Bytes.of(state.get()),
                CaseTerms.decode(record.terms()).options().trace()));
  }

  @Override
  public synchronized void applied(String caseId, Input input) {
    Begun begun = cases.get(caseId);
    if (begun != null) {
      begun.inputs.add(input);
    }
  }

  @Override
  public synchronized void chose(String caseId, Choice choice, int taken) {
    Begun begun = cases.get(caseId);
    if (begun != null) {
      begun.choices.add(new Decision(choice, taken));
    }
  }

  @Override
  public void ran(String caseId, int quantum) {
    // A case runs until it waits, however often it makes room for others.
  }

  @Override
  public synchronized void traced(String caseId, List<TraceEvent> events) {
    Begun begun = cases.get(caseId);
    if (begun != null) {
      begun.events.addAll(events);
    }
  }

  @Override
  public synchronized void committed(String caseId, long revision) {
    Begun begun = cases.get(caseId);
    if (begun != null) {
      begun.inputsCommitted = begun.inputs.size();
      begun.choicesCommitted = begun.choices.size();
      begun.eventsCommitted = begun.events.size();
    }
  }

  @Override
  public synchronized void dropped(String caseId) {
    Begun begun = cases.get(caseId);
    if (begun != null) {
      begun.inputs.subList(begun.inputsCommitted, begun.inputs.size()).clear();
      begun.choices.subList(begun.choicesCommitted, begun.choices.size()).clear();
      begun.events.subList(begun.eventsCommitted, begun.events.size()).clear();
    }
  }

  /// What is needed to repeat a case since it was started or read; empty when it was neither.
  ///
  /// @param level of a case that was started while this watched; another one has its own
  public synchronized Optional<Recording> recording(
      String caseId, ProgramHash program, TraceLevel level) {
    return Optional.ofNullable(cases.get(caseId))
        .map(begun ->
            new Recording(
                program,
                begun.context,
                begun.clockMillis,
                begun.state,
                begun.choices.isEmpty(),
                begun.level.orElse(level),
                begun.inputs,
                begun.choices,
                begun.events));
  }
}
