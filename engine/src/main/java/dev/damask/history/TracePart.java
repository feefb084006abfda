package dev.damask.history;

import dev.damask.event.TraceEvent;
import java.util.List;

/// What was traced between two commits of a case.
///
/// @param atMillis the time of the commit that made it durable
public record TracePart(long atMillis, List<TraceEvent> events) {
  public TracePart {
    events = List.copyOf(events);
  }
}
