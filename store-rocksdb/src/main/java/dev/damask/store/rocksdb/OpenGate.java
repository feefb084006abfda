package dev.damask.store.rocksdb;

import dev.damask.store.StoreException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/// Keeps readers out of a closed database, because a native call on it would crash the process.
/// Readers enter and leave, and `close` waits for those inside. A thread may enter again while it
/// is inside.
final class OpenGate {
  /// How long closing waits for readers that are inside.
  static final Duration WAIT = Duration.ofSeconds(5);

  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private volatile boolean isClosed; // written by the closer

  private final Duration wait;

  OpenGate(Duration wait) {
    this.wait = wait;
  }

  /// Enters the gate. Throws `StoreException` if the store is closed or being closed.
  void enter() {
    lock.readLock().lock();
    if (isClosed) {
      lock.readLock().unlock();
      throw new StoreException("the store is closed");
    }
  }

  void leave() {
    lock.readLock().unlock();
  }

  /// Throws `StoreException` if the store is being closed, so that long reads end.
  void requireOpen() {
    if (isClosed) {
      throw new StoreException("the store is closed");
    }
  }

  /// Refuses further readers and waits for those inside. Returns false if a reader is still inside
  /// after that time; then the database must stay open.
  boolean close() {
    isClosed = true;
    boolean isInterrupted = false;
    try {
      long end = System.nanoTime() + wait.toNanos();
      while (true) {
        try {
          boolean isEmpty = lock.writeLock().tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS);
          if (isEmpty) {
            lock.writeLock().unlock(); // readers that come later see that it is closed
          }
          return isEmpty;
        } catch (InterruptedException e) {
          isInterrupted = true; // the wait for readers continues
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
