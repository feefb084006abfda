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
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The one thread that writes: it takes whatever lies in its bounded queue, writes it with one
/// sync, and only then says so. After the first failure it writes nothing more.
///
/// One platform thread, because a native call holds the carrier of a virtual one, and because many
/// writers would each pay for a sync that one could pay for all.
final class Writer implements AutoCloseable {
  private static final int QUEUE_MAX = 1_024;

  /// A batch and who waits for it. The last one of all has no batch.
  private record Entry(@Nullable CommitBatch batch, CompletableFuture<Void> done) {}

  private final BlockingQueue<Entry> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
  private final Consumer<List<CommitBatch>> sync;
  private final Nursery nursery = Nursery.open("store");
  private volatile @Nullable StoreFailure failure; // written by the writer, read by committers

  /// Shared by committers, held by whoever closes: nobody gets in behind the last entry, where no
  /// one would ever answer.
  private final ReadWriteLock door = new ReentrantReadWriteLock();

  private boolean isClosed; // guarded by the door

  /// @param sync writes batches and returns when they are on the disk
  Writer(Consumer<List<CommitBatch>> sync) {
    this.sync = sync;
    nursery.launch(ChildOptions.named("store-writer").withThread(ThreadKind.PLATFORM), _ -> run());
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

  private void run() {
    List<Entry> taken = new ArrayList<>();
    boolean isLast = false;
    while (!isLast) {
      taken.clear();
      try {
        taken.add(queue.take());
      } catch (InterruptedException e) {
        continue; // only the last entry ends it
      }
      queue.drainTo(taken);
      isLast = taken.stream().anyMatch(entry -> entry.batch == null);
      write(taken);
    }
  }

  private void write(List<Entry> taken) {
    StoreFailure broken = failure;
    if (broken == null) {
      try {
        List<CommitBatch> batches = new ArrayList<>();
        for (Entry entry : taken) {
          if (entry.batch != null) {
            batches.add(entry.batch);
          }
        }
        if (!batches.isEmpty()) {
          sync.accept(batches);
        }
      } catch (StoreFailure e) {
        broken = e;
        failure = e;
      } catch (RuntimeException e) {
        broken = new StoreFailure("the store's writer broke: " + e, e);
        failure = broken;
      }
    }
    for (Entry entry : taken) {
      if (broken == null) {
        entry.done.complete(null);
      } else {
        entry.done.completeExceptionally(broken);
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
