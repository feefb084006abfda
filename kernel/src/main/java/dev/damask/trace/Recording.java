package dev.damask.trace;

import dev.damask.event.Input;
import dev.damask.event.TraceEvent;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.Seeded.Decision;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.util.List;

/// Everything needed to repeat a run: what came in, what was chosen, and what was seen.
///
/// @param state the state it begins with, as a store keeps it; empty when it begins with its case
/// @param choices empty when the deterministic scheduler ran
public record Recording(
    ProgramHash program,
    Context context,
    long clockMillis,
    Bytes state,
    boolean inOrder,
    TraceLevel level,
    List<Input> inputs,
    List<Decision> choices,
    List<TraceEvent> events) {
  public Recording {
    inputs = List.copyOf(inputs);
    choices = List.copyOf(choices);
    events = List.copyOf(events);
  }

  /// Whether the case had begun before its recording did.
  public boolean isResumed() {
    return state.length() > 0;
  }
}
