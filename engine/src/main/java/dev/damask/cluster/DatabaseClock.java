package dev.damask.cluster;

/// The database's time as a node knows it: read with each heartbeat and carried on by the node's
/// monotonic clock. Due times are judged by it. It never goes back within a process, and it is
/// never ahead of the database's clock unless that clock was set back.
public final class DatabaseClock {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long SKEW_MAX_MILLIS = 1_000;

  // All guarded by this.
  private long readNanos;
  private long readMillis;
  private long shown;

  /// @param receivedNanos the monotonic time after the response with the first reading
  public DatabaseClock(long databaseMillis, long receivedNanos) {
    this.readMillis = databaseMillis;
    this.readNanos = receivedNanos;
    this.shown = databaseMillis;
  }

  /// Adds a reading of the database's clock.
  public synchronized void read(long databaseMillis, long receivedNanos) {
    readMillis = databaseMillis;
    readNanos = receivedNanos;
  }

  /// Returns the time in milliseconds since 1970.
  ///
  /// @param nowNanos the monotonic time
  public synchronized long millis(long nowNanos) {
    shown = Math.max(shown, readMillis + (nowNanos - readNanos) / NANOS_PER_MILLI);
    return shown;
  }

  /// Returns how many nanoseconds remain until the clock shows a time; at least 1.
  public synchronized long nanosUntil(long millis, long nowNanos) {
    long leftMillis = millis - readMillis;
    if (leftMillis > Long.MAX_VALUE / NANOS_PER_MILLI) {
      return Long.MAX_VALUE;
    }
    return Math.max(1, leftMillis * NANOS_PER_MILLI - (nowNanos - readNanos));
  }

  /// Returns whether a wall clock differs from the database's by more than a second.
  public synchronized boolean isSkewed(long wallMillis, long nowNanos) {
    long database = readMillis + (nowNanos - readNanos) / NANOS_PER_MILLI;
    return Math.abs(wallMillis - database) > SKEW_MAX_MILLIS;
  }
}
