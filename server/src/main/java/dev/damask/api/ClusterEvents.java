package dev.damask.api;

import dev.damask.cluster.CaseChanges;
import dev.damask.nursery.ErrorPolicy;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The events of all nodes of a cluster. One thread reads the newest changes from the database
/// while readers wait, whatever their number; a reader that is further behind reads for itself.
final class ClusterEvents implements EventFeed {
  private static final System.Logger LOG = System.getLogger(ClusterEvents.class.getName());
  private static final int KEPT_MAX = 16_384;
  private static final int PAGE = 1_000;
  private static final long POLL_MILLIS = 200;
  private static final long WATCH_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final CaseChanges changes;
  private final CursorSeal seal; // the same at every server of the cluster
  private final Nursery nursery =
      Nursery.open(
          NurseryOptions.named("cluster events")
              .withGrace(Duration.ofSeconds(1))
              .withPolicy(ErrorPolicy.SUPERVISE));
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Kept> newest = new ArrayList<>(); // in order; with the lock
  private String before = ""; // the newest follow this cursor; empty at first; with the lock
  private int resets; // how often the newest were lost; with the lock
  private int readers; // with the lock
  private boolean isClosed; // with the lock

  /// A change: its place, and the event as a client receives it, with the sealed place.
  private record Kept(String place, Event event) {}

  private ClusterEvents(CaseChanges changes, CursorSeal seal) {
    this.changes = changes;
    this.seal = seal;
  }

  static ClusterEvents open(CaseChanges changes, CursorSeal seal) {
    ClusterEvents events = new ClusterEvents(changes, seal);
    events.nursery.launch("changes", _ -> events.run());
    return events;
  }

  private void run() throws InterruptedException {
    long watched = 0;
    while (awaitReaders()) {
      try {
        if (watched == 0 || System.nanoTime() - watched > WATCH_NANOS) {
          changes.watch();
          watched = System.nanoTime();
        }
        if (!read()) {
          pause();
        }
      } catch (StoreException | IllegalStateException e) {
        LOG.log(System.Logger.Level.DEBUG, "changes cannot be read now", e);
        pause();
      }
    }
  }

  private boolean awaitReaders() throws InterruptedException {
    lock.lock();
    try {
      while ((readers == 0 || before.isEmpty()) && !isClosed) {
        changed.await();
      }
      return !isClosed;
    } finally {
      lock.unlock();
    }
  }

  private void pause() throws InterruptedException {
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS);
      while (left > 0 && !isClosed) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /// Reads the changes after the newest; false if there are none.
  private boolean read() {
    String from = last();
    Optional<List<CaseChanges.Change>> page = changes.after(from, PAGE);
    lock.lock();
    try {
      if (page.isEmpty()) { // no client has read for long
        newest.clear();
        before = "";
        resets++;
      } else {
        page.get().forEach(each -> newest.add(kept(each)));
        int surplus = newest.size() - KEPT_MAX;
        if (surplus > KEPT_MAX / 2) { // removed together, because a list moves what is left
          before = newest.get(surplus - 1).place();
          newest.subList(0, surplus).clear();
        }
      }
      changed.signalAll();
      return page.isPresent() && !page.get().isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private String last() {
    lock.lock();
    try {
      return newest.isEmpty() ? before : newest.getLast().place();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String start() {
    return seal.seal(changes.start());
  }

  @Override
  public void require(String cursor) {
    if (changes.after(plain(cursor), 1).isEmpty()) {
      throw EventFeed.gone();
    }
  }

  private String plain(String cursor) {
    return seal.open(cursor)
        .orElseThrow(() -> Problem.bad("the cursor is malformed; start without it"));
  }

  /// Places count the transactions of the whole database, so a client receives them sealed.
  private Kept kept(CaseChanges.Change change) {
    return new Kept(change.cursor(), new Event(seal.seal(change.cursor()), change.event()));
  }

  @Override
  public @Nullable List<Event> after(String cursor, int max, long millis)
      throws InterruptedException {
    String from = plain(cursor);
    List<Kept> found = known(from, max, millis);
    if (found == null) {
      Optional<List<CaseChanges.Change>> page = changes.after(from, max);
      if (page.isEmpty()) {
        return null;
      }
      found = page.get().stream().map(this::kept).toList();
      if (found.isEmpty()) { // nothing lies between the cursor and the newest
        found = known("", max, millis);
      }
    }
    return found == null ? List.of() : found.stream().map(Kept::event).toList();
  }

  /// Waits for events after a cursor; null if it is older than the newest, or they were lost.
  ///
  /// @param from empty for all of the newest
  private @Nullable List<Kept> known(String from, int max, long millis)
      throws InterruptedException {
    lock.lock();
    try {
      readers++;
      if (before.isEmpty() && !from.isEmpty()) {
        before = from;
      }
      changed.signalAll();
      if (!from.isEmpty() && changes.compare(from, before) < 0) {
        return null;
      }
      int seen = resets;
      long left = TimeUnit.MILLISECONDS.toNanos(millis);
      int next = position(from);
      while (next == newest.size() && left > 0 && !isClosed && seen == resets) {
        left = changed.awaitNanos(left);
        next = position(from);
      }
      boolean isLost = seen != resets || (!from.isEmpty() && changes.compare(from, before) < 0);
      return isLost ? null : List.copyOf(newest.subList(next, Math.min(newest.size(), next + max)));
    } finally {
      readers--;
      lock.unlock();
    }
  }

  /// The index of the first event after a cursor.
  private int position(String from) {
    int low = 0;
    int high = from.isEmpty() ? 0 : newest.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (changes.compare(newest.get(middle).place(), from) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  @Override
  public boolean isClosed() {
    lock.lock();
    try {
      return isClosed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    nursery.close();
  }
}
