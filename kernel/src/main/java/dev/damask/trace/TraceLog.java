package dev.damask.trace;

import dev.damask.exec.TraceEvent;
import dev.damask.exec.Tracer;
import java.util.ArrayList;
import java.util.List;

/// Keeps the trace of a case in memory.
public final class TraceLog implements Tracer {
  private final TraceLevel level;
  private final List<TraceEvent> events = new ArrayList<>();

  public TraceLog(TraceLevel level) {
    this.level = level;
  }

  @Override
  public void accept(TraceEvent event) {
    events.add(event);
  }

  @Override
  public boolean wantsAll() {
    return level == TraceLevel.FULL;
  }

  public List<TraceEvent> events() {
    return List.copyOf(events);
  }
}
