package dev.damask.benchmarks;

import dev.damask.nursery.Nursery;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/// The work that the nursery's figures compare: the same thing with a nursery and without one.
final class Parked {

  private Parked() {}

  /// Starts and joins children that do nothing, in a nursery.
  static void spawnInNursery(int children) throws InterruptedException {
    try (var nursery = Nursery.open("benchmark")) {
      for (int i = 0; i < children; i++) {
        nursery.spawn("child", () -> 1);
      }
      nursery.awaitAll();
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

  /// Threads that wait for a latch, all of them parked.
  static Thread[] threads(int count, CountDownLatch stop) throws InterruptedException {
    var threads = new Thread[count];
    for (int i = 0; i < count; i++) {
      threads[i] =
          Thread.ofVirtual()
              .name("child")
              .start(() -> {
                try {
                  stop.await();
                } catch (InterruptedException e) {
                  // This is how it is told to end.
                }
              });
    }
    for (Thread thread : threads) {
      awaitParked(thread);
    }
    return threads;
  }

  /// Children that wait for a latch, all of them parked.
  static void children(Nursery nursery, int count, CountDownLatch stop)
      throws InterruptedException {
    var threads = new Thread[count];
    var isUp = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      int place = i;
      nursery.launch(
          "child",
          _ -> {
            threads[place] = Thread.currentThread();
            isUp.countDown();
            stop.await();
          });
    }
    isUp.await();
    for (Thread thread : threads) {
      awaitParked(thread);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // not measured
  private static void awaitParked(Thread thread) {
    while (thread.getState() != Thread.State.WAITING) {
      Thread.yield();
    }
  }
}
