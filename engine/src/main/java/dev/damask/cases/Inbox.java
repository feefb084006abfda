package dev.damask.cases;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The bounded queue in front of a shard. A full one makes callers wait or refuses them.
final class Inbox {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition filled = lock.newCondition();
  private final Condition emptied = lock.newCondition();
  private final int max;
  private final boolean refuses;

  // All guarded by the lock.
  private final ArrayDeque<Request> requests = new ArrayDeque<>();
  private boolean isWoken;
  private boolean isClosed;

  Inbox(int max, boolean refuses) {
    this.max = max;
    this.refuses = refuses;
  }

  /// Puts a request at the end; false when the inbox is closed. `IllegalStateException` when it is
  /// full and callers are not to wait.
  boolean put(Request request) {
    lock.lock();
    try {
      while (requests.size() >= max && !isClosed) {
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
      filled.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Moves at most some requests to a list. Waits until there is one, somebody wakes the shard, or
  /// the time is up.
  void take(List<Request> taken, int limit, long nanos) throws InterruptedException {
    lock.lock();
    try {
      long left = nanos;
      while (!isWoken && (limit == 0 || (requests.isEmpty() && !isClosed)) && left > 0) {
        left = filled.awaitNanos(left);
      }
      isWoken = false;
      for (int i = 0; i < limit && !requests.isEmpty(); i++) {
        taken.add(requests.removeFirst());
        emptied.signal(); // one for each place: thousands may wait, and all would look for it
      }
    } finally {
      lock.unlock();
    }
  }

  /// Everything that is left.
  List<Request> drain() {
    lock.lock();
    try {
      List<Request> left = List.copyOf(requests);
      requests.clear();
      return left;
    } finally {
      lock.unlock();
    }
  }

  void wake() {
    lock.lock();
    try {
      isWoken = true;
      filled.signal();
    } finally {
      lock.unlock();
    }
  }

  /// Takes nothing more; what is in it can still be taken.
  void close() {
    lock.lock();
    try {
      isClosed = true;
      filled.signal();
      emptied.signalAll();
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      return requests.size();
    } finally {
      lock.unlock();
    }
  }
}
