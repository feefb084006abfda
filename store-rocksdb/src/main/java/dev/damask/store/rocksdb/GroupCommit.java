package dev.damask.store.rocksdb;

import dev.damask.store.CommitBatch;
import dev.damask.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/// Batches that are to be written: those in a bounded queue, those added to the next write, and
/// those being written. One thread adds and one writes. The future of a batch completes when the
/// batch is synced. After the first failure, further batches are rejected.
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

  private final BlockingQueue<Entry> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
  private final Pen<T> pen;
  private volatile @Nullable StoreException failure; // written by both threads

  private final Lock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private List<Entry> added = new ArrayList<>();
  private boolean isWriting;

  /// Shared by committers, exclusive for `close`, so that no entry is added after the last one,
  /// where it would never be completed.
  private final ReadWriteLock door = new ReentrantReadWriteLock();

  private boolean isClosed; // guarded by `door`

  GroupCommit(Pen<T> pen) {
    this.pen = pen;
  }

  CompletableFuture<Void> commit(CommitBatch batch) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    door.readLock().lock();
    try {
      if (isClosed) {
        return CompletableFuture.failedFuture(new StoreException("the store is closed"));
      }
      put(new Entry(batch, done));
      return done;
    } finally {
      door.readLock().unlock();
    }
  }

  private void put(Entry entry) {
    boolean isInterrupted = false;
    while (true) {
      try {
        queue.put(entry);
        break;
      } catch (InterruptedException e) {
        isInterrupted = true; // the batch must not be lost; the caller sees the interrupt flag
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
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
    return add(take());
  }

  /// Adds the next batch if there is one. Returns whether there was one.
  boolean tryAdd() {
    Entry entry = queue.poll();
    return entry != null && add(entry);
  }

  private boolean add(Entry entry) {
    if (entry.batch != null && failure == null) {
      look(entry.batch);
    }
    lock.lock();
    try {
      while (pen.isFull() && failure == null) {
        changed.awaitUninterruptibly();
      }
      if (entry.batch != null && failure == null) {
        pen.add(entry.batch);
      }
    } catch (RuntimeException | Error e) { // a partially added batch must not be written
      fail(e);
    } finally {
      added.add(entry);
      changed.signalAll();
      lock.unlock();
    }
    return entry.batch != null;
  }

  private void look(CommitBatch batch) {
    try {
      pen.look(batch, this::awaitDisk);
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
      while (waits && added.isEmpty()) {
        changed.awaitUninterruptibly();
      }
      List<Entry> entries = added;
      added = new ArrayList<>();
      isWriting = !entries.isEmpty();
      StoreException broken = failure;
      T bytes = null;
      if (broken == null && isWriting && entries.getFirst().batch != null) {
        try {
          bytes = pen.take();
        } catch (RuntimeException | Error e) {
          broken = fail(e);
        }
      }
      changed.signalAll();
      return new Taken<>(entries, bytes, broken);
    } finally {
      lock.unlock();
    }
  }

  private StoreException fail(Throwable e) {
    StoreException sentence =
        e instanceof StoreException known
            ? known
            : new StoreException("the store's writer failed: " + e, e);
    failure = sentence;
    return sentence;
  }

  /// Takes the next entry. Only the last entry ends the wait.
  private Entry take() {
    while (true) {
      try {
        return queue.take();
      } catch (InterruptedException e) {
        // keep waiting
      }
    }
  }

  /// Stops accepting batches. The threads that add and write proceed to the last entry. Returns
  /// false if it was closed before.
  boolean close() {
    door.writeLock().lock();
    try {
      if (isClosed) {
        return false;
      }
      isClosed = true;
      put(new Entry(null, new CompletableFuture<>()));
      return true;
    } finally {
      door.writeLock().unlock();
    }
  }
}
