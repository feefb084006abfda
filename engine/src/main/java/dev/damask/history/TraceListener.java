package dev.damask.history;

import dev.damask.event.TraceEvent;
import java.util.List;

/// Receives the trace of cases while they run.
@FunctionalInterface
public interface TraceListener {
  /// Receives the events of one commit, once they are durable, in order. It is called by the thread
  /// of the shard, so it must be quick; an exception is logged.
  void traced(String caseId, List<TraceEvent> events);
}
