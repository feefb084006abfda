package dev.damask.benchmarks;

import dev.damask.nursery.Nursery;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/// The work that the nursery's figures compare: the same thing with a nursery and without one.
final class Parked {

  private Parked() {}

  /// Starts and joins children that do nothing, in a nursery.
  static void spawnInNursery(int children) throws InterruptedException {
    try (var nursery = Nursery.open("benchmark")) {
      for (int i = 0; i < children; i++) {
        nursery.spawn("child", () -> 1);
      }
      nursery.awaitAll().orThrow();
    }
  }

  /// Starts and joins tasks that do nothing but count down, in an executor.
  static void spawnInExecutor(int children) throws InterruptedException {
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      var latch = new CountDownLatch(children);
      for (int i = 0; i < children; i++) {
        executor.execute(latch::countDown);
      }
      latch.await();
    }
  }

  /// Threads that are parked until they are interrupted.
  static Thread[] threads(int count) throws InterruptedException {
    var threads = new Thread[count];
    var isUp = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      threads[i] = Thread.ofVirtual().name("child").start(() -> park(isUp));
    }
    settle(isUp);
    return threads;
  }

  /// Children that are parked until they are interrupted.
  static void children(Nursery nursery, int count) throws InterruptedException {
    var isUp = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      nursery.launch("child", _ -> park(isUp));
    }
    settle(isUp);
  }

  /// Each thread parks by itself: a shared latch would take longer to let go of an interrupted
  /// waiter than everything else together.
  private static void park(CountDownLatch isUp) {
    isUp.countDown();
    while (!Thread.currentThread().isInterrupted()) {
      LockSupport.park();
    }
  }

  /// All have begun; the last ones need a moment to park, which is not measured.
  private static void settle(CountDownLatch isUp) throws InterruptedException {
    isUp.await();
    Thread.sleep(Duration.ofMillis(20));
  }
}
