package dev.damask.verify;

/// Checks the time and memory limits of a search and reports its progress.
final class Meter {
  /// The number of states between two checks of the limits.
  static final int INTERVAL = 1 << 14;

  private final Options options;
  private final long begin = System.nanoTime();
  private String why = "";
  private boolean isDeep;

  Meter(Options options) {
    this.options = options;
  }

  /// Returns whether the search may continue.
  boolean goesOn(long states, long bytes) {
    long nanos = Math.max(1, System.nanoTime() - begin);
    if (nanos / 1_000_000 >= options.millisMax()) {
      why = "its time limit of " + options.millisMax() + " ms was reached";
    } else if (bytes > options.bytesMax()) {
      why = "its memory limit of " + (options.bytesMax() >> 20) + " MB was reached";
    } else if (!options.progress().goOn(states, (long) (states * 1e9 / nanos))) {
      why = "it was cancelled";
    }
    return why.isEmpty();
  }

  int depthMax() {
    return options.depthMax();
  }

  /// Records that there are runs longer than the maximum depth.
  void tooDeep() {
    why = "runs of more than " + options.depthMax() + " steps were not searched";
    isDeep = true;
  }

  /// Returns the reason why a search stopped early.
  String stopped(long states) {
    if (isDeep) {
      return why;
    }
    return why.isEmpty()
        ? "the limit of " + options.statesMax() + " states was reached"
        : "the search stopped after " + states + " states because " + why;
  }

  /// Returns whether a limit other than the number of states has stopped a search.
  boolean hasStopped() {
    return !why.isEmpty();
  }

  long millis() {
    return (System.nanoTime() - begin) / 1_000_000;
  }
}
