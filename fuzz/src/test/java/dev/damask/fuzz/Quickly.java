package dev.damask.fuzz;

import java.time.Duration;

/// Fails when one input takes longer than any input may. The first time may have loaded classes or
/// waited for a busy machine; an input that is to blame takes as long again.
final class Quickly {
  private static final Duration MAX = Duration.ofSeconds(1);

  void run(Runnable action) {
    if (taken(action).compareTo(MAX) > 0) {
      Duration again = taken(action);
      if (again.compareTo(MAX) > 0) {
        throw new AssertionError("an input took " + again);
      }
    }
  }

  private static Duration taken(Runnable action) {
    long start = System.nanoTime();
    action.run();
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
