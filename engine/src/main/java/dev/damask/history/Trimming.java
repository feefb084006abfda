package dev.damask.history;

import dev.damask.exec.StateRecords;
import dev.damask.store.StateChange;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoredState;
import dev.damask.store.Table;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Decides which old revisions and values a commit removes. Values have no counters of references:
/// every record lists those it refers to, and a value goes when no kept record lists it.
public final class Trimming {
  private static final int PAGE = 512;

  private final HistoryPolicy policy;
  private final Store store;

  public Trimming(HistoryPolicy policy, Store store) {
    this.policy = policy;
    this.store = store;
  }

  /// Returns the table of the store.
  public Table table() {
    return store.table();
  }

  /// A record that was submitted, and may not be in the store yet.
  public record Submitted(long revision, StateChange change) {}

  /// What a commit removes.
  ///
  /// @param kept the oldest revision that stays; 0 if all stay
  /// @param bytes what the kept records and values have together
  public record Cut(long kept, List<Sum> removed, long bytes) {}

  /// The next record of a case.
  ///
  /// @param change with all values that the base does not need as removed
  /// @param before what the store was last given
  /// @param weight about how many bytes the present state has
  public record Next(
      String caseId, long revision, StateChange change, StoredState.Head before, long weight) {
    private long bytes() {
      return before.bytes() + change.bytes();
    }
  }

  /// Decides what goes with the next record of a case. Only a base removes anything. A store that
  /// cannot be read removes nothing; the next base tries again.
  public Cut cut(Next next, Collection<Submitted> submitted) {
    StoredState.Head before = next.before;
    Cut nothing = new Cut(0, List.of(), next.bytes());
    long revisions = next.revision - before.kept() + 1;
    if (!next.change.isBase() || !policy.isExceeded(revisions, next.bytes())) {
      return nothing;
    }
    if (!policy.keepsAll() && before.kept() == before.base()) {
      long bytes = next.change.bytes() + next.weight; // at least that of its values
      return new Cut(next.revision, next.change.removed(), bytes);
    }
    try {
      return new Walk(next, submitted).cut();
    } catch (StoreException e) {
      return nothing;
    }
  }

  /// Goes over the kept records, the newest first.
  private final class Walk {
    private final Next next;
    private final Map<Long, StateChange> submitted = new HashMap<>();
    private final Map<Sum, Integer> known = new HashMap<>();

    private long kept;
    private long keptBytes;
    private final Set<Sum> keptValues = new HashSet<>();
    private final TreeSet<Sum> gone = new TreeSet<>();

    // The segment that is being read, whose base has not been reached yet.
    private long segmentBytes;
    private Set<Sum> segmentValues = new HashSet<>();
    private boolean isFull;

    Walk(Next next, Collection<Submitted> submitted) {
      this.next = next;
      this.kept = next.revision;
      for (Submitted each : submitted) {
        this.submitted.put(each.revision, each.change);
        sizes(each.change);
      }
      sizes(next.change);
    }

    private void sizes(StateChange change) {
      for (SharedValue value : change.added()) {
        known.put(value.hash(), value.bytes().length);
      }
    }

    Cut cut() {
      segmentValues.addAll(next.change.record().header().values());
      segmentBytes = next.change.record().bytes().length;
      keep(next.revision);
      long oldest = next.before.kept();
      for (long to = next.revision - 1; to >= oldest; to -= PAGE) {
        long from = Math.max(oldest, to - PAGE + 1);
        TreeMap<Long, StateChange.Stored> page = page(from, to);
        for (long revision = to; revision >= from; revision--) {
          record(revision, page.get(revision));
        }
      }
      gone.addAll(segmentValues);
      gone.removeAll(keptValues);
      return new Cut(kept > oldest ? kept : 0, List.copyOf(gone), keptBytes);
    }

    private TreeMap<Long, StateChange.Stored> page(long from, long to) {
      TreeMap<Long, StateChange.Stored> page = new TreeMap<>();
      for (Store.RevisionRecord each : store.states(next.caseId, from, to)) {
        page.put(each.revision(), each.record());
      }
      for (long revision = from; revision <= to; revision++) {
        StateChange change = submitted.get(revision);
        if (change != null) {
          page.put(revision, change.record());
        }
      }
      return page;
    }

    /// @param found null if it is missing; what is older than a record that cannot be read goes
    private void record(long revision, StateChange.@Nullable Stored found) {
      StateRecords.Header header = null;
      try {
        header = found == null ? null : found.header();
      } catch (DamagedBytes e) {
        isFull = true; // a reader of this revision gets an error
      }
      if (found == null || header == null) {
        isFull = true;
        return;
      }
      segmentValues.addAll(header.values());
      segmentBytes += found.bytes().length;
      if (!header.isBase()) {
        return;
      }
      if (isFull || !fits(revision)) {
        isFull = true;
        gone.addAll(segmentValues);
      } else {
        keep(revision);
      }
      segmentValues = new HashSet<>();
      segmentBytes = 0;
    }

    private boolean fits(long base) {
      return policy.leaves(next.revision - base + 1, keptBytes + segmentBytes + added());
    }

    /// The bytes of the values that only the segment refers to.
    private long added() {
      long sum = 0;
      for (Sum hash : segmentValues) {
        sum += keptValues.contains(hash) ? 0 : size(hash);
      }
      return sum;
    }

    private int size(Sum hash) {
      return known.computeIfAbsent(
          hash,
          _ -> {
            byte[] value = store.value(next.caseId, hash);
            return value == null ? 0 : value.length;
          });
    }

    private void keep(long base) {
      keptBytes += segmentBytes + added();
      keptValues.addAll(segmentValues);
      kept = base;
      segmentValues = new HashSet<>();
      segmentBytes = 0;
    }
  }
}
