package dev.damask.history;

import dev.damask.event.TraceEvent;
import dev.damask.store.CaseCommit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// The listeners to the traces of an engine's cases. Without any, traces are not decoded.
public final class TraceListeners {
  /// @param caseId null for every case
  private record Entry(@Nullable String caseId, TraceListener listener) {}

  private final List<Entry> entries = new CopyOnWriteArrayList<>(); // changed by any thread

  /// Adds a listener until its subscription is closed.
  ///
  /// @param caseId null for every case
  public TraceSubscription add(@Nullable String caseId, TraceListener listener) {
    Entry entry = new Entry(caseId, listener);
    entries.add(entry);
    return () -> entries.removeIf(each -> each == entry);
  }

  /// Passes the trace of a durable commit to the listeners of its case.
  public void committed(CaseCommit commit) {
    if (entries.isEmpty() || commit.trace().length == 0) {
      return;
    }
    String caseId = commit.record().caseId();
    List<TraceEvent> events = List.of();
    for (Entry entry : entries) {
      if (entry.caseId == null || entry.caseId.equals(caseId)) {
        events = events.isEmpty() ? TraceCodec.decode(List.of(commit.trace())) : events;
        tell(entry.listener, caseId, events);
      }
    }
  }

  private static void tell(TraceListener listener, String caseId, List<TraceEvent> events) {
    try {
      listener.traced(caseId, events);
    } catch (OutOfMemoryError e) { // the engine stops
      throw e;
    } catch (Throwable e) { // the user's listener; the events are durable all the same
      System.getLogger(TraceListeners.class.getName())
          .log(System.Logger.Level.WARNING, "a listener of traces failed", e);
    }
  }
}
