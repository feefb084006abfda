package dev.damask.intake;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The bounded queue in front of a shard. A full one makes callers wait or refuses them.
public final class Inbox {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition filled = lock.newCondition();
  private final Condition emptied = lock.newCondition();
  private final int max;
  private final boolean refuses;

  // All guarded by the lock.
  private final ArrayDeque<Request> requests = new ArrayDeque<>();
  private boolean isWoken;
  private boolean isClosed;
  private volatile int size; // written under the lock, read by any thread

  public Inbox(int max, boolean refuses) {
    this.max = max;
    this.refuses = refuses;
  }

  /// Puts a request at the end; false when the inbox is closed. `IllegalStateException` when it is
  /// full and callers are not to wait. A message of a case never waits: shards that wait for each
  /// other would wait for ever, and the store bounds the number of messages.
  public boolean put(Request request) {
    lock.lock();
    try {
      while (requests.size() >= max && !isClosed && !(request instanceof Request.Deliver)) {
        if (refuses && !(request instanceof Request.Report)) {
          throw new IllegalStateException(
              "the engine is busy: " + max + " inputs wait; try again, nothing was changed");
        }
        emptied.awaitUninterruptibly();
      }
      if (isClosed) {
        return false;
      }
      requests.addLast(request);
      size = requests.size();
      filled.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Puts a request before all others, also if the inbox is full; false when it is closed.
  public boolean putFirst(Request request) {
    lock.lock();
    try {
      if (isClosed) {
        return false;
      }
      requests.addFirst(request);
      size = requests.size();
      filled.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Waits until another thread wakes the shard or closes the inbox, the time is up or, if
  /// `forRequests`, there is a request. Closing ends one wait only: a shard that then waits for a
  /// batch would otherwise spin.
  public void await(boolean forRequests, long nanos) throws InterruptedException {
    lock.lock();
    try {
      long left = nanos;
      while (!isWoken && !(forRequests && size > 0) && left > 0) {
        left = filled.awaitNanos(left);
      }
      isWoken = false;
    } finally {
      lock.unlock();
    }
  }

  /// Moves at most some requests to a list, without waiting. The shard's thread holds the lock of
  /// the shard: a request that was taken would otherwise be overtaken by a caller that finds the
  /// inbox empty.
  public void take(List<Request> taken, int limit) {
    if (size == 0 || limit == 0) {
      return;
    }
    lock.lock();
    try {
      for (int i = 0; i < limit && !requests.isEmpty(); i++) {
        taken.add(requests.removeFirst());
        emptied.signal(); // one for each place: thousands may wait, and all would look for it
      }
      size = requests.size();
    } finally {
      lock.unlock();
    }
  }

  /// Everything that is left.
  public List<Request> drain() {
    lock.lock();
    try {
      List<Request> left = List.copyOf(requests);
      requests.clear();
      size = 0;
      return left;
    } finally {
      lock.unlock();
    }
  }

  public void wake() {
    lock.lock();
    try {
      isWoken = true;
      filled.signal();
    } finally {
      lock.unlock();
    }
  }

  /// Takes nothing more; what is in it can still be taken.
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      isWoken = true;
      filled.signal();
      emptied.signalAll();
    } finally {
      lock.unlock();
    }
  }

  public int size() {
    return size;
  }
}
