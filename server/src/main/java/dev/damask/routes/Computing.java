package dev.damask.routes;

import dev.damask.api.Caller;
import dev.damask.api.Problem;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Bounds what requests compute: how many compute at a time, how long a request waits for its turn,
/// and how long it computes. Tokens take turns: the requests of one token wait behind each other,
/// and delay another token by one request only.
final class Computing {
  private static final Duration WAIT = Duration.ofSeconds(10);
  private static final Duration RUN = Duration.ofSeconds(5);

  private final Duration wait;
  private final Duration run;
  private final ReentrantLock lock = new ReentrantLock();

  // The tokens whose turn comes next are first. Both fields are guarded by the lock.
  private final Map<String, ArrayDeque<CountDownLatch>> waiting = new LinkedHashMap<>();
  private int free;

  /// Half of the processors compute, so that cases and other requests continue.
  Computing() {
    this(Math.max(1, Runtime.getRuntime().availableProcessors() / 2), WAIT, RUN);
  }

  Computing(int places, Duration wait, Duration run) {
    this.free = places;
    this.wait = wait;
    this.run = run;
  }

  /// What a request computes.
  interface Action<T> {
    /// Computes, and calls `budget` between steps; it throws when the time has passed.
    T run(Runnable budget);
  }

  /// Runs an action. Throws [Problem] if others compute for too long, or the action does.
  <T> T limited(Caller caller, Action<T> action) throws InterruptedException {
    await(caller.name());
    try {
      long end = System.nanoTime() + run.toNanos();
      return action.run(() -> require(end));
    } finally {
      leave();
    }
  }

  private void await(String name) throws InterruptedException {
    CountDownLatch turn = enter(name);
    boolean hasTurn = turn == null;
    try {
      hasTurn = turn == null || turn.await(wait.toMillis(), TimeUnit.MILLISECONDS);
    } finally {
      if (turn != null && !hasTurn && !withdraw(name, turn)) {
        leave(); // the turn came meanwhile
      }
    }
    if (!hasTurn) {
      throw new Problem(Problem.Kind.TOO_MANY, "too many requests compute; try again later");
    }
  }

  /// Takes a place, or returns what to wait for.
  private @Nullable CountDownLatch enter(String name) {
    lock.lock();
    try {
      if (free > 0) {
        free--;
        return null;
      }
      CountDownLatch turn = new CountDownLatch(1);
      waiting.computeIfAbsent(name, _ -> new ArrayDeque<>()).add(turn);
      return turn;
    } finally {
      lock.unlock();
    }
  }

  /// Returns false if the turn has come.
  private boolean withdraw(String name, CountDownLatch turn) {
    lock.lock();
    try {
      ArrayDeque<CountDownLatch> own = waiting.get(name);
      boolean isRemoved = own != null && own.remove(turn);
      if (own != null && own.isEmpty()) {
        waiting.remove(name);
      }
      return isRemoved;
    } finally {
      lock.unlock();
    }
  }

  /// Passes the place on to the token that has waited for its turn for the longest time.
  private void leave() {
    lock.lock();
    try {
      var first = waiting.entrySet().iterator();
      if (!first.hasNext()) {
        free++;
        return;
      }
      var next = first.next();
      String name = next.getKey();
      ArrayDeque<CountDownLatch> own = next.getValue();
      own.remove().countDown();
      waiting.remove(name);
      if (!own.isEmpty()) {
        waiting.put(name, own);
      }
    } finally {
      lock.unlock();
    }
  }

  /// Returns how many requests wait for their turn.
  int waiting() {
    lock.lock();
    try {
      return waiting.values().stream().mapToInt(ArrayDeque::size).sum();
    } finally {
      lock.unlock();
    }
  }

  private void require(long end) {
    if (System.nanoTime() - end > 0) {
      throw new Problem(
          Problem.Kind.INVALID,
          "the computation has not ended after %s; the case does not come to a wait"
              .formatted(run));
    }
  }
}
