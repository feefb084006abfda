package dev.damask.fuzz;

import java.time.Duration;

/// Fails when one input takes longer than any input may.
final class Quickly {
  private static final Duration MAX = Duration.ofSeconds(1);

  /// The first inputs load classes, for which no input is to blame.
  private static final int WARM_UP = 200;

  private int runs;

  void run(Runnable action) {
    long start = System.nanoTime();
    action.run();
    Duration taken = Duration.ofNanos(System.nanoTime() - start);
    if (runs++ > WARM_UP && taken.compareTo(MAX) > 0) {
      throw new AssertionError("an input took " + taken);
    }
  }
}
