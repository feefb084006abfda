package dev.damask.store.rocksdb;

import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.ThreadKind;
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

/// Writes with one sync whatever has come, and only then says so. After the first failure it writes
/// nothing more.
///
/// Two platform threads: one turns batches into bytes as they come, the other one writes whatever
/// there is; while a sync waits for the disk, the next bytes are made. Platform threads, because a
/// native call holds the carrier of a virtual one; one that writes, because many would each pay for
/// a sync that one could pay for all.
///
/// @param <T> what is written
final class Writer<T> implements AutoCloseable {
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
  private final Nursery nursery = Nursery.open("store");
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

  Writer(Pen<T> pen) {
    this.pen = pen;
    launch("store-encoder", this::addAll);
    launch("store-writer", this::writeAll);
  }

  private void launch(String name, Runnable loop) {
    nursery.launch(ChildOptions.named(name).withThread(ThreadKind.PLATFORM), _ -> loop.run());
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

  private void addAll() {
    for (Entry entry = take(); ; entry = take()) {
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
      if (entry.batch == null) {
        return;
      }
    }
  }

  private void look(CommitBatch batch) {
    try {
      pen.look(batch, this::awaitDisk);
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void writeAll() {
    boolean isLast = false;
    while (!isLast) {
      Taken<T> next = awaitAdded();
      isLast = next.entries.getLast().batch == null;
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
    }
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

  private Taken<T> awaitAdded() {
    lock.lock();
    try {
      while (added.isEmpty()) {
        changed.awaitUninterruptibly();
      }
      List<Entry> entries = added;
      added = new ArrayList<>();
      isWriting = true;
      StoreFailure broken = failure;
      T bytes = null;
      if (broken == null && entries.getFirst().batch != null) {
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

  /// Only the last entry ends the thread.
  private Entry take() {
    while (true) {
      try {
        return queue.take();
      } catch (InterruptedException e) {
        // go on
      }
    }
  }

  @Override
  public void close() {
    door.writeLock().lock();
    try {
      if (isClosed) {
        return;
      }
      isClosed = true;
      put(new Entry(null, new CompletableFuture<>()));
    } finally {
      door.writeLock().unlock();
    }
    nursery.close();
  }
}
