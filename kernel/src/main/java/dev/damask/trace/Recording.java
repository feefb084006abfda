package dev.damask.trace;

import dev.damask.exec.Input;
import dev.damask.exec.TraceEvent;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.Seeded.Decision;
import dev.damask.task.Context;
import java.util.List;

/// Everything needed to repeat a run: what came in, what was chosen, and what was seen.
///
/// @param choices empty when the deterministic scheduler ran
public record Recording(
    ProgramHash program,
    Context context,
    long clockMillis,
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
}
