package dev.damask.nursery;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The children of a nursery that have not ended yet.
///
/// A stack that grows by compare-and-set. A child that ends only empties its entry, which costs one
/// write and no lock; empty entries are removed when the next child is added, once about as many
/// were added as there are children. So adding and leaving cost O(1) amortised, and a nursery that
/// lives for years holds a small multiple of its maximum number of concurrent children. An entry is
/// 24 bytes; an entry of a concurrent set would take 32 and its share of the table.
final class ChildSet {

  /// The minimum number of empty entries before a sweep.
  static final int EMPTY_MAX = 64;

  /// The entry of one child.
  static final class Entry {
    // emptied by the child, read by any thread
    private volatile @Nullable RunningChild<?> child;
    // Changed by the one sweeper only; a reader may see an older value, which leads past the same
    // living entries and some emptied ones.
    private @Nullable Entry next;
    // The number of entries up to this one. Only differences count, so it may overflow.
    private int ordinal;

    Entry(RunningChild<?> child) {
      this.child = child;
    }

    void empty() {
      CHILD.setRelease(this, null);
    }
  }

  /// The last sweep: the number of entries added, the ordinal it reached, and the ordinal that
  /// starts the next one.
  private record Swept(long added, int ordinal, int next) {}

  private static final int RUNNING_MAX = 1 << 30;

  private static final VarHandle HEAD;
  private static final VarHandle CHILD;
  private static final VarHandle SWEEPING;

  static {
    try {
      var lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(ChildSet.class, "head", Entry.class);
      CHILD = lookup.findVarHandle(Entry.class, "child", RunningChild.class);
      SWEEPING = lookup.findVarHandle(ChildSet.class, "sweeping", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // written by spawning threads, read by any thread
  private volatile @Nullable Entry head;
  // written by the sweeping thread, which is chosen by compare-and-set
  private volatile boolean sweeping;
  private volatile Swept swept = new Swept(0, 0, EMPTY_MAX);

  /// Adds a child. `running` is the approximate number of running children.
  void add(Entry entry, long running) {
    Entry seen;
    do {
      seen = head;
      entry.next = seen;
      entry.ordinal = seen == null ? 1 : seen.ordinal + 1;
    } while (!HEAD.compareAndSet(this, seen, entry));
    if (isDue(entry) && !sweeping && SWEEPING.compareAndSet(this, false, true)) {
      try {
        if (isDue(entry)) {
          sweep(entry);
          int pause = EMPTY_MAX + (int) Math.min(running, RUNNING_MAX);
          swept = new Swept(addedUpTo(entry), entry.ordinal, entry.ordinal + pause);
        }
      } finally {
        sweeping = false;
      }
    }
  }

  /// Returns the number of children ever added.
  long added() {
    Entry newest = head;
    return newest == null ? 0 : addedUpTo(newest);
  }

  /// Returns the children that have not ended, oldest first. The list may miss or contain a child
  /// that is added or ends meanwhile.
  List<RunningChild<?>> children() {
    var children = new ArrayList<RunningChild<?>>();
    for (Entry entry = head; entry != null; entry = entry.next) {
      RunningChild<?> child = entry.child;
      if (child != null) {
        children.add(child);
      }
    }
    Collections.reverse(children);
    return children;
  }

  /// Returns whether any child has no result yet.
  boolean isAnyUnsettled() {
    return children().stream().anyMatch(child -> child.state() != ChildState.ENDED);
  }

  /// Returns whether the thread belongs to a child or to a descendant of one.
  boolean holds(Thread thread) {
    var waiting = new ArrayDeque<ChildSet>();
    waiting.add(this);
    for (ChildSet roster = waiting.poll(); roster != null; roster = waiting.poll()) {
      for (RunningChild<?> child : roster.children()) {
        if (thread.equals(child.thread())) {
          return true;
        }
        child.nurseries().forEach(nursery -> waiting.add(nursery.roster()));
      }
    }
    return false;
  }

  /// Returns the number of entries, including empty ones.
  int entries() {
    int entries = 0;
    for (Entry entry = head; entry != null; entry = entry.next) {
      entries++;
    }
    return entries;
  }

  private boolean isDue(Entry entry) {
    return entry.ordinal - swept.next() >= 0;
  }

  private long addedUpTo(Entry entry) {
    Swept last = swept;
    return last.added() + (entry.ordinal - last.ordinal());
  }

  /// Unlinks the empty entries below the given one. Only the sweeping thread changes a published
  /// `next`, and entries above are not touched, so children can be added meanwhile.
  private static void sweep(Entry from) {
    Entry kept = from;
    for (Entry entry = from.next; entry != null; entry = entry.next) {
      if (entry.child != null) {
        kept.next = entry;
        kept = entry;
      }
    }
    kept.next = null;
  }
}
