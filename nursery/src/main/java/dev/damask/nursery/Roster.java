package dev.damask.nursery;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The children of a nursery that have not ended yet.
///
/// A stack that grows by compare-and-set. A child that ends only empties its entry, which costs one
/// write and no lock; empty entries are swept out by whoever adds the next child, once about as
/// many were added as there are children. So adding and leaving cost O(1) amortised, and a nursery
/// that lives for years holds a small multiple of the children it ever had at once. An entry is 24
/// bytes; one in a concurrent set would be 32 and its share of the table.
final class Roster {

  /// Empty entries that may pile up however few children run.
  static final int EMPTY_MAX = 64;

  /// The place of one child.
  static final class Entry {
    // emptied by the child, read by any thread
    private volatile @Nullable RunningChild<?> child;
    // Changed by the one sweeper only; a reader may see an older value, which leads past the same
    // living entries and some emptied ones.
    private @Nullable Entry next;
    // How many were added up to this one; only differences count, so it may run over.
    private int ordinal;

    Entry(RunningChild<?> child) {
      this.child = child;
    }

    void empty() {
      CHILD.setRelease(this, null);
    }
  }

  /// The last sweep: how many had been added, up to which ordinal, and which one sweeps next.
  private record Swept(long added, int ordinal, int next) {}

  private static final int RUNNING_MAX = 1 << 30;

  private static final VarHandle HEAD;
  private static final VarHandle CHILD;
  private static final VarHandle SWEEPING;

  static {
    try {
      var lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(Roster.class, "head", Entry.class);
      CHILD = lookup.findVarHandle(Entry.class, "child", RunningChild.class);
      SWEEPING = lookup.findVarHandle(Roster.class, "sweeping", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // written by whoever spawns, read by any thread
  private volatile @Nullable Entry head;
  // written by the sweeper, who takes the right to it by compare-and-set
  private volatile boolean sweeping;
  private volatile Swept swept = new Swept(0, 0, EMPTY_MAX);

  /// Adds a child of which about `running` run at the moment.
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

  /// How many children were ever added.
  long added() {
    Entry newest = head;
    return newest == null ? 0 : addedUpTo(newest);
  }

  /// The children that have not ended, oldest first. One that is added or ends meanwhile may be in
  /// the list or not.
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

  /// Tells every child to stop, whatever the callbacks of one of them throw.
  void tell(CancelReason why) {
    Throwable thrown = null;
    for (RunningChild<?> child : children()) {
      try {
        child.deliver(why);
      } catch (RuntimeException | Error e) {
        thrown = Errors.joined(thrown, e);
      }
    }
    Errors.rethrow(thrown);
  }

  /// Whether the thread is that of a child, or of a child of one of its nurseries, and so on.
  boolean holds(Thread thread) {
    for (RunningChild<?> child : children()) {
      if (thread.equals(child.thread())) {
        return true;
      }
      for (Nursery nursery : child.nurseries()) {
        if (nursery.roster().holds(thread)) {
          return true;
        }
      }
    }
    return false;
  }

  /// How many entries there are, empty ones included.
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

  /// Unlinks the empty entries below the given one. Nobody else changes a `next` that is published,
  /// and entries above are not touched, so adding goes on undisturbed.
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
