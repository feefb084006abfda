package dev.damask.cli.cases;

import dev.damask.event.TraceEvent;
import dev.damask.history.TraceCodec;
import dev.damask.program.Program;
import dev.damask.store.Store;
import dev.damask.trace.TracePrinter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The trace of a stored case as text.
public final class TraceLines {
  private TraceLines() {}

  /// Returns the last lines of a trace.
  ///
  /// @param program null if it is unknown
  public static List<String> last(
      Store store, String caseId, @Nullable Program program, int count) {
    List<TraceEvent> events = TraceCodec.decode(store.trace(caseId));
    List<String> lines = new ArrayList<>();
    for (TraceEvent event : events.subList(Math.max(0, events.size() - count), events.size())) {
      lines.add(TracePrinter.line(program, event));
    }
    return lines;
  }
}
