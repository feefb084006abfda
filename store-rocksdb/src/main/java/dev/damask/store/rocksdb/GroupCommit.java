package dev.damask.store.rocksdb;

import dev.damask.store.CommitBatch;
import dev.damask.store.StoreFailure;
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

/// Batches on their way to the disk: those that wait in a bounded queue, those that were added to
/// what is written next, and those that are being written. One thread adds and one writes; whoever
/// committed is told when his batch is on the disk. After the first failure nothing more is
/// written.
///
/// @param <T> what is written
final class GroupCommit<T> {
  private static final int QUEUE_MAX = 1_024;

  /// What writes for the writer.
  interface Pen<T> {
    /// Looks at a batch before it is added, in the same thread.
    ///
    /// @param awaitDisk waits until everything that was added is on the disk
    void look(CommitBatch batch, Runnable awaitDisk);

    /// Adds a batch to what is written next.
    void add(CommitBatch batch);

    /// Whether as much was added as is good for the memory.
    boolean isFull();

    /// Everything that was added; nothing is left.
    T take();

    /// Writes what was taken and returns when it is on the disk.
    void sync(T taken);
  }

  /// A batch and who waits for it. The last one of all has no batch.
  private record Entry(@Nullable CommitBatch batch, CompletableFuture<Void> done) {}

  /// What is written at once, and for whom.
  ///
  /// @param bytes null when there is nothing to write
  private record Taken<T>(List<Entry> entries, @Nullable T bytes, @Nullable StoreFailure broken) {}

  private final BlockingQueue<Entry> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
  private final Pen<T> pen;
  private volatile @Nullable StoreFailure failure; // written by both threads

  private final Lock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private List<Entry> added = new ArrayList<>();
  private boolean isWriting;

  /// Shared by committers, held by whoever closes: nobody gets in behind the last entry, where no
  /// one would ever answer.
  private final ReadWriteLock door = new ReentrantReadWriteLock();

  private boolean isClosed; // guarded by the door

  GroupCommit(Pen<T> pen) {
    this.pen = pen;
  }

  CompletableFuture<Void> commit(CommitBatch batch) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    door.readLock().lock();
    try {
      if (isClosed) {
        return CompletableFuture.failedFuture(new StoreFailure("the store is closed"));
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
        isInterrupted = true; // a batch is never lost half-way; the caller sees the flag
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

  /// Waits for the next batch and adds it; false when it was the last entry.
  boolean addNext() {
    return add(take());
  }

  /// Adds the next batch if there is one.
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
    } catch (RuntimeException | Error e) { // a batch that was added in part must not be written
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

  /// Waits until something was added, writes all of it, and tells; false when the last entry was
  /// among it.
  boolean writeNext() {
    return write(takeAdded(true));
  }

  /// Writes what was added, if anything was.
  boolean tryWrite() {
    Taken<T> taken = takeAdded(false);
    return !taken.entries.isEmpty() && write(taken);
  }

  private boolean write(Taken<T> next) {
    StoreFailure broken = next.broken;
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
      StoreFailure broken = failure;
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

  private StoreFailure fail(Throwable e) {
    StoreFailure sentence =
        e instanceof StoreFailure known
            ? known
            : new StoreFailure("the store's writer broke: " + e, e);
    failure = sentence;
    return sentence;
  }

  /// Only the last entry ends the waiting.
  private Entry take() {
    while (true) {
      try {
        return queue.take();
      } catch (InterruptedException e) {
        // go on
      }
    }
  }

  /// Takes nothing more; whoever adds and writes comes to the last entry. False when it was closed
  /// before.
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
