package dev.damask.history;

/// Which revisions of a case a store keeps, besides the last one.
///
/// Revisions are removed in whole segments, the oldest first, when a base is written: a segment is
/// a base and the deltas after it. The segment of the present state always stays. When a bound is
/// exceeded, an eighth of it is freed, so that the kept records are read once in a while only.
///
/// @param keepsAll whether revisions stay until the case is removed or a bound is reached; if not,
///   they go when the next base is written
/// @param revisionsMax how many revisions are kept
/// @param bytesMax how many bytes their records and values may have together
public record HistoryPolicy(boolean keepsAll, long revisionsMax, long bytesMax) {
  /// Keeps 10,000 revisions or 64 MB per case.
  public static final HistoryPolicy ALL = new HistoryPolicy(true, 10_000, 64L << 20);

  /// Keeps the revisions that the last state is read from.
  public static final HistoryPolicy LAST = new HistoryPolicy(false, 1, 1);

  public HistoryPolicy {
    if (revisionsMax < 1 || bytesMax < 1) {
      throw new IllegalArgumentException(
          "the bounds of a history must be positive, got %d revisions and %d bytes"
              .formatted(revisionsMax, bytesMax));
    }
  }

  /// Returns the policy with another number of revisions.
  public HistoryPolicy withRevisionsMax(long value) {
    return new HistoryPolicy(keepsAll, value, bytesMax);
  }

  /// Returns the policy with another number of bytes.
  public HistoryPolicy withBytesMax(long value) {
    return new HistoryPolicy(keepsAll, revisionsMax, value);
  }

  boolean isExceeded(long revisions, long bytes) {
    return !keepsAll || revisions > revisionsMax || bytes > bytesMax;
  }

  /// Whether so much may stay when a bound was exceeded.
  boolean leaves(long revisions, long bytes) {
    return keepsAll
        && revisions <= revisionsMax - revisionsMax / 8
        && bytes <= bytesMax - bytesMax / 8;
  }
}
