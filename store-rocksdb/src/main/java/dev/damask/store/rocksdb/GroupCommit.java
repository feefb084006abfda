package dev.damask.store.rocksdb;

import dev.damask.store.CommitBatch;
import dev.damask.store.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Batches that are to be written: those in a bounded queue, those added to the next write, and
/// those being written. One thread adds and one writes. The future of a batch completes when the
/// batch is synced. After the first failure, further batches are rejected.
///
/// A committer that has nothing else to do writes its batch itself if nothing is queued, being
/// added or being written ([#commitHere]). One lock decides that. Batches that arrive meanwhile
/// queue up and form the next write.
///
/// @param <T> the form of the data that is written
final class GroupCommit<T> {
  private static final int QUEUE_MAX = 1_024;

  /// The encoder and the disk of a group commit.
  interface Pen<T> {
    /// Checks a batch before it is added, on the same thread.
    ///
    /// @param awaitDisk waits until everything that was added is synced
    void look(CommitBatch batch, Runnable awaitDisk);

    /// Adds a batch to the next write.
    void add(CommitBatch batch);

    /// Returns whether the next write has reached its size limit.
    boolean isFull();

    /// Returns everything that was added and starts an empty write.
    T take();

    /// Writes the data and returns after it is synced.
    void sync(T taken);
  }

  /// A batch and the future of its committer. The last entry has no batch.
  private record Entry(@Nullable CommitBatch batch, CompletableFuture<Void> done) {}

  /// The data of one write and its entries.
  ///
  /// @param bytes null if there is nothing to write
  private record Taken<T>(
      List<Entry> entries, @Nullable T bytes, @Nullable StoreException broken) {}

  private final Pen<T> pen;
  private volatile @Nullable StoreException failure; // written by every thread that adds or writes

  private final Lock lock = new ReentrantLock();
  private final Condition queued = lock.newCondition();
  private final Condition hasRoom = lock.newCondition();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private final ArrayDeque<Entry> queue = new ArrayDeque<>();
  private List<Entry> added = new ArrayList<>();
  private boolean isAdding; // from taking an entry out of the queue until it is in `added`
  private boolean isWriting;
  private boolean isClosed; // no entry follows the last one, where it would never be completed

  GroupCommit(Pen<T> pen) {
    this.pen = pen;
  }

  CompletableFuture<Void> commit(CommitBatch batch) {
    Entry entry = new Entry(batch, new CompletableFuture<>());
    return put(entry, false) ? entry.done : closed();
  }

  /// Commits a batch and writes it on the calling thread if nothing else is to be written. The
  /// future is complete then.
  CompletableFuture<Void> commitHere(CommitBatch batch) {
    Entry entry = new Entry(batch, new CompletableFuture<>());
    if (!enter()) {
      return commit(batch);
    }
    look(batch, () -> {}); // nothing is on its way to the disk
    Taken<T> taken;
    lock.lock();
    try {
      append(entry);
      taken = taken();
      isAdding = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    write(taken);
    return entry.done;
  }

  /// Claims both the adding and the writing; false if there is anything else to add or to write.
  private boolean enter() {
    lock.lock();
    try {
      boolean isIdle = queue.isEmpty() && !isAdding && added.isEmpty() && !isWriting && !isClosed;
      if (isIdle) {
        isAdding = true;
        isWriting = true;
      }
      return isIdle;
    } finally {
      lock.unlock();
    }
  }

  private static CompletableFuture<Void> closed() {
    return CompletableFuture.failedFuture(new StoreException("the store is closed"));
  }

  /// Puts an entry at the end of the queue; false if it is closed.
  private boolean put(Entry entry, boolean isLast) {
    lock.lock();
    try {
      while (queue.size() >= QUEUE_MAX && !isClosed && !isLast) {
        hasRoom.awaitUninterruptibly();
      }
      if (isClosed) {
        return false;
      }
      isClosed = isLast;
      queue.addLast(entry);
      queued.signal();
      if (isLast) {
        hasRoom.signalAll();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void awaitDisk() {
    lock.lock();
    try {
      while (isWriting || !added.isEmpty()) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Waits for the next batch and adds it. Returns false for the last entry.
  boolean addNext() {
    Entry next = null;
    while (next == null) {
      next = next(true);
    }
    return add(next);
  }

  /// Adds the next batch if there is one. Returns whether there was one.
  boolean tryAdd() {
    Entry entry = next(false);
    return entry != null && add(entry);
  }

  /// Takes the next entry out of the queue; null if there is none or a committer adds its own.
  private @Nullable Entry next(boolean waits) {
    lock.lock();
    try {
      while (waits && (queue.isEmpty() || isAdding)) {
        (queue.isEmpty() ? queued : changed).awaitUninterruptibly();
      }
      if (isAdding || queue.isEmpty()) {
        return null;
      }
      isAdding = true;
      hasRoom.signal();
      return queue.removeFirst();
    } finally {
      lock.unlock();
    }
  }

  private boolean add(Entry entry) {
    if (entry.batch != null) {
      look(entry.batch, this::awaitDisk);
    }
    lock.lock();
    try {
      while (pen.isFull() && failure == null) {
        changed.awaitUninterruptibly();
      }
      append(entry);
    } finally {
      isAdding = false;
      changed.signalAll();
      lock.unlock();
    }
    return entry.batch != null;
  }

  /// Adds an entry to the next write. The lock is held.
  private void append(Entry entry) {
    try {
      if (entry.batch != null && failure == null) {
        pen.add(entry.batch);
      }
    } catch (RuntimeException | Error e) { // a partially added batch must not be written
      fail(e);
    } finally {
      added.add(entry);
    }
  }

  private void look(CommitBatch batch, Runnable awaitDisk) {
    if (failure != null) {
      return;
    }
    try {
      pen.look(batch, awaitDisk);
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  /// Waits until a batch was added, writes everything and completes the futures. Returns false if
  /// the last entry was included.
  boolean writeNext() {
    return write(takeAdded(true));
  }

  /// Writes everything that was added. Returns whether there was something to write.
  boolean tryWrite() {
    Taken<T> taken = takeAdded(false);
    return !taken.entries.isEmpty() && write(taken);
  }

  private boolean write(Taken<T> next) {
    StoreException broken = next.broken;
    if (next.bytes != null) {
      try {
        pen.sync(next.bytes);
      } catch (RuntimeException | Error e) {
        broken = fail(e);
      }
    }
    for (Entry entry : next.entries) {
      if (broken == null) {
        entry.done.complete(null);
      } else {
        entry.done.completeExceptionally(broken);
      }
    }
    endWriting();
    return next.entries.getLast().batch != null;
  }

  private void endWriting() {
    lock.lock();
    try {
      isWriting = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private Taken<T> takeAdded(boolean waits) {
    lock.lock();
    try {
      while (waits && (added.isEmpty() || isWriting)) {
        changed.awaitUninterruptibly();
      }
      if (isWriting) {
        return new Taken<>(List.of(), null, null); // a committer writes its own
      }
      isWriting = !added.isEmpty();
      Taken<T> taken = taken();
      changed.signalAll();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /// Takes everything that was added. The lock is held.
  private Taken<T> taken() {
    List<Entry> entries = added;
    added = new ArrayList<>();
    StoreException broken = failure;
    T bytes = null;
    if (broken == null && !entries.isEmpty() && entries.getFirst().batch != null) {
      try {
        bytes = pen.take();
      } catch (RuntimeException | Error e) {
        broken = fail(e);
      }
    }
    return new Taken<>(entries, bytes, broken);
  }

  private StoreException fail(Throwable e) {
    StoreException sentence =
        e instanceof StoreException known
            ? known
            : new StoreException("the store's writer failed: " + e, e);
    failure = sentence;
    return sentence;
  }

  /// Stops accepting batches. The threads that add and write proceed to the last entry. Returns
  /// false if it was closed before.
  boolean close() {
    return put(new Entry(null, new CompletableFuture<>()), true);
  }
}
