package dev.damask.benchmarks;

import dev.damask.nursery.Nursery;
import java.util.Arrays;
import java.util.Locale;

/// The four figures that the nursery promises, each a ratio of the same work with a nursery and
/// without, taken in turns in one run: spawning and joining 10 and 10,000 children, cancelling
/// 10,000 parked ones, and the memory of a parked one.
///
/// `mvn -q -B -pl nursery,benchmarks verify -Pmeasure -DskipTests
/// -Dmeasure.main=dev.damask.benchmarks.NurseryFigures`
public final class NurseryFigures {

  private static final int ROUNDS = 3;

  /// One way to do the work; returns nanoseconds, or bytes.
  private interface Sample {
    double take() throws InterruptedException;
  }

  private NurseryFigures() {}

  public static void main(String[] args) throws InterruptedException {
    for (int round = 0; round < ROUNDS; round++) {
      compare(
          "spawn 10, us",
          1_000,
          1e3,
          timed(() -> repeat(10, () -> Parked.spawnInNursery(10))),
          timed(() -> repeat(10, () -> Parked.spawnInExecutor(10))));
      compare(
          "spawn 10,000, ms",
          100,
          1e6,
          timed(() -> Parked.spawnInNursery(10_000)),
          timed(() -> Parked.spawnInExecutor(10_000)));
      compare(
          "cancel 10,000, ms",
          30,
          1e6,
          () -> cancelNursery(10_000),
          () -> interruptThreads(10_000));
      compare(
          "memory, bytes", 3, 1, () -> memoryOfChildren(100_000), () -> memoryOfThreads(100_000));
    }
  }

  private static void compare(String what, int samples, double unit, Sample nursery, Sample plain)
      throws InterruptedException {
    double[] ours = new double[samples];
    double[] theirs = new double[samples];
    for (int i = 0; i < samples; i++) {
      ours[i] = nursery.take() / unit;
      theirs[i] = plain.take() / unit;
    }
    Arrays.sort(ours);
    Arrays.sort(theirs);
    int middle = samples / 2;
    System.out.printf(
        Locale.ROOT,
        "%-18s best %8.2f : %8.2f = %.2f   median %8.2f : %8.2f = %.2f%n",
        what,
        ours[0],
        theirs[0],
        ours[0] / theirs[0],
        ours[middle],
        theirs[middle],
        ours[middle] / theirs[middle]);
  }

  private interface Work {
    void run() throws InterruptedException;
  }

  private static void repeat(int times, Work work) throws InterruptedException {
    for (int i = 0; i < times; i++) {
      work.run();
    }
  }

  private static Sample timed(Work work) {
    return () -> {
      long start = System.nanoTime();
      work.run();
      return System.nanoTime() - start;
    };
  }

  private static double cancelNursery(int count) throws InterruptedException {
    try (var nursery = Nursery.open("benchmark")) {
      Parked.children(nursery, count);
      long start = System.nanoTime();
      nursery.cancel("enough");
      var _ = nursery.awaitAll();
      return System.nanoTime() - start;
    }
  }

  private static double interruptThreads(int count) throws InterruptedException {
    Thread[] threads = Parked.threads(count);
    long start = System.nanoTime();
    for (Thread thread : threads) {
      thread.interrupt();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return System.nanoTime() - start;
  }

  private static double memoryOfChildren(int count) throws InterruptedException {
    long before = usedBytes();
    try (var nursery = Nursery.open("benchmark")) {
      Parked.children(nursery, count);
      long after = usedBytes();
      nursery.cancel("enough");
      var _ = nursery.awaitAll();
      return (after - before) / (double) count;
    }
  }

  private static double memoryOfThreads(int count) throws InterruptedException {
    long before = usedBytes();
    Thread[] threads = Parked.threads(count);
    long after = usedBytes();
    for (Thread thread : threads) {
      thread.interrupt();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return (after - before) / (double) count;
  }

  private static long usedBytes() {
    var runtime = Runtime.getRuntime();
    for (int i = 0; i < 3; i++) {
      runtime.gc();
    }
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
