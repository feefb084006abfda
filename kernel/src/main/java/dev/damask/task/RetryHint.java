package dev.damask.task;

/// What a handler knows about the next attempt after a failed one.
///
/// @param isPermanent whether another attempt would fail as well; then there is none, and the task
///   fails whatever its options are
/// @param afterMillis how long to wait at least before the next attempt; 0 if the handler does not
///   know
public record RetryHint(boolean isPermanent, long afterMillis) {
  /// The handler knows nothing: the retry policy of the task decides alone.
  public static final RetryHint NONE = new RetryHint(false, 0);

  /// No attempt may follow.
  public static final RetryHint PERMANENT = new RetryHint(true, 0);

  public RetryHint {
    if (afterMillis < 0) {
      throw new IllegalArgumentException("retry: a delay must not be negative, got " + afterMillis);
    }
  }

  /// Returns the hint to wait at least this long.
  public static RetryHint after(long millis) {
    return new RetryHint(false, millis);
  }
}
