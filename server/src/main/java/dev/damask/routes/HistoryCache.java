package dev.damask.routes;

import dev.damask.cases.Engine;
import dev.damask.history.History;
import dev.damask.store.CaseRecord;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/// The histories that were read last: their positions are computed once, and a page that moves
/// along a time line reads one history many times. A history of an older revision is not used.
final class HistoryCache {
  private static final int KEPT_MAX = 64;

  /// @param lock held by the request that uses the history, which one thread may use at a time
  private record Entry(long revision, History history, ReentrantLock lock) {}

  private final Map<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true); // with its lock

  <T> T with(Engine engine, CaseRecord record, Function<History, T> action) {
    Entry entry;
    synchronized (entries) {
      entry = entries.get(record.caseId());
    }
    if (entry == null || entry.revision != record.revision()) {
      History history = engine.history(record.caseId());
      entry = new Entry(history.newest(), history, new ReentrantLock());
      synchronized (entries) {
        entries.put(record.caseId(), entry);
        if (entries.size() > KEPT_MAX) {
          entries.remove(entries.keySet().iterator().next());
        }
      }
    }
    entry.lock.lock();
    try {
      return action.apply(entry.history);
    } finally {
      entry.lock.unlock();
    }
  }
}
