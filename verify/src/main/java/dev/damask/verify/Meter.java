package dev.damask.verify;

/// Watches how long a search takes and how much it keeps, and tells whoever wants to know.
final class Meter {
  /// How many states a search visits between two looks at its bounds.
  static final int INTERVAL = 1 << 14;

  private final Options options;
  private final long begin = System.nanoTime();
  private String why = "";

  Meter(Options options) {
    this.options = options;
  }

  /// Whether the search may go on.
  boolean goesOn(long states, long bytes) {
    long nanos = Math.max(1, System.nanoTime() - begin);
    if (nanos / 1_000_000 >= options.millisMax()) {
      why = "its time of " + options.millisMax() + " ms was up";
    } else if (bytes > options.bytesMax()) {
      why = "its memory of " + (options.bytesMax() >> 20) + " MB was full";
    } else if (!options.progress().goOn(states, (long) (states * 1e9 / nanos))) {
      why = "it was told to";
    }
    return why.isEmpty();
  }

  /// Why a search has ended before its time.
  String stopped(long states) {
    return why.isEmpty()
        ? "the bound of " + options.statesMax() + " states was reached"
        : "the search stopped after " + states + " states because " + why;
  }

  /// Whether something else than the number of states has stopped a search.
  boolean hasStopped() {
    return !why.isEmpty();
  }

  long millis() {
    return (System.nanoTime() - begin) / 1_000_000;
  }
}
