package dev.damask.intake;

import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import dev.damask.store.Store.DueCase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The timers of one shard. The store has all of them in order; memory has only those that come
/// next, up to a horizon, so that a million timers that wait cost nothing here. What comes after
/// the horizon is read when everything before it has fired.
public final class DueCases {
  private static final int PAGE = 1_024;

  /// Where all timers lie in order.
  @FunctionalInterface
  public interface Pages {
    /// As [Store#due].
    List<DueCase> due(DueCase after, int limit);
  }

  private final Pages store;
  private final Predicate<String> isMine;
  private final int window;
  private final TreeSet<DueCase> soon = new TreeSet<>();
  private final Map<String, DueCase> byCase = new HashMap<>();

  /// Everything up to here is known; null when everything is.
  private @Nullable DueCase horizon = DueCase.FIRST;

  public DueCases(Pages store, Predicate<String> isMine, int window) {
    this.store = store;
    this.isMine = isMine;
    this.window = window;
  }

  /// A revision with this due time has become durable.
  public void set(String caseId, long dueMillis) {
    DueCase before = byCase.get(caseId);
    if (before != null && before.dueMillis() == dueMillis) {
      return;
    }
    remove(caseId);
    if (dueMillis != CaseRecord.NEVER) {
      put(new DueCase(dueMillis, caseId));
    }
  }

  private void put(DueCase due) {
    if (horizon != null && due.compareTo(horizon) > 0) {
      return;
    }
    soon.add(due);
    byCase.put(due.caseId(), due);
    if (soon.size() > 2 * window) {
      while (soon.size() > window) {
        byCase.remove(soon.removeLast().caseId());
      }
      horizon = soon.last();
    }
  }

  public void remove(String caseId) {
    DueCase before = byCase.remove(caseId);
    if (before != null) {
      soon.remove(before);
    }
  }

  /// When the next timer is due; [CaseRecord#NEVER] when there is none.
  public long next() {
    while (soon.isEmpty() && horizon != null) {
      read(horizon);
    }
    return soon.isEmpty() ? CaseRecord.NEVER : soon.first().dueMillis();
  }

  /// Whether [#next] reads nothing from the store.
  public boolean isKnown() {
    return !soon.isEmpty() || horizon == null;
  }

  /// As [#next], without reading the store.
  public long known() {
    return soon.isEmpty() ? CaseRecord.NEVER : soon.first().dueMillis();
  }

  private void read(DueCase from) {
    DueCase last = from;
    int mine = 0;
    int size = Math.min(PAGE, window);
    while (mine < window) {
      var page = store.due(last, size);
      for (DueCase due : page) {
        if (isMine.test(due.caseId()) && !byCase.containsKey(due.caseId())) {
          soon.add(due);
          byCase.put(due.caseId(), due);
          mine++;
        }
      }
      if (page.size() < size) {
        horizon = null;
        return;
      }
      last = page.getLast();
    }
    horizon = last;
  }

  /// Takes the next case whose time has come; null when there is none.
  public @Nullable String poll(long now) {
    if (next() > now) {
      return null;
    }
    String caseId = soon.removeFirst().caseId();
    byCase.remove(caseId);
    return caseId;
  }

  /// Forgets everything and begins again from the store.
  public void rescan() {
    soon.clear();
    byCase.clear();
    horizon = DueCase.FIRST;
  }

  /// How many are in memory.
  public int size() {
    return soon.size();
  }
}
