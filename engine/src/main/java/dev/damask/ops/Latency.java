package dev.damask.ops;

import java.util.List;

/// How long something took, over all that was counted.
///
/// @param p50Micros half of them took at most about this long, give or take a quarter
/// @param p99Micros the same for 99 of 100
/// @param sumMicros all of them together
/// @param buckets how many took at most a time, for times that grow by a factor of four; each
///   contains the ones before
public record Latency(
    long count,
    long meanMicros,
    long p50Micros,
    long p99Micros,
    long maxMicros,
    long sumMicros,
    List<Bucket> buckets) {
  public Latency {
    buckets = List.copyOf(buckets);
  }

  /// How many took at most a time.
  public record Bucket(long upToNanos, long count) {}
}
