package dev.damask.verify;

/// Watches the bounds of one search and tells how fast it is.
final class Meter {
  /// How often, in states, a search looks at its bounds.
  static final int INTERVAL = 1 << 14;

  private final Progress progress;
  private final long begin = System.nanoTime();
  private final long millisMax;

  Meter(Progress progress, long millisMax) {
    this.progress = progress;
    this.millisMax = millisMax;
  }

  /// Whether the search may go on.
  boolean goesOn(long states) {
    long nanos = Math.max(1, System.nanoTime() - begin);
    return nanos / 1_000_000 < millisMax && progress.goOn(states, (long) (states * 1e9 / nanos));
  }

  long millis() {
    return (System.nanoTime() - begin) / 1_000_000;
  }
}
