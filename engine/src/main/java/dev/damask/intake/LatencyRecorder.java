package dev.damask.intake;

import dev.damask.ops.Latency;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/// Counts into buckets that grow by a quarter of a power of two. Written and read by any thread.
public final class LatencyRecorder {
  private static final int PER_DOUBLING = 4;
  private static final int FIRST_POWER = 14; // 16 microseconds
  private static final int LAST_POWER = 36; // 69 seconds
  private final AtomicLongArray buckets = new AtomicLongArray(64 * PER_DOUBLING);
  private final AtomicLong sum = new AtomicLong();
  private final AtomicLong max = new AtomicLong();

  /// Adds one duration.
  public void record(long nanos) {
    long value = Math.max(1, nanos);
    buckets.incrementAndGet(bucket(value));
    sum.addAndGet(value);
    max.accumulateAndGet(value, Math::max);
  }

  private static int bucket(long nanos) {
    int power = 63 - Long.numberOfLeadingZeros(nanos);
    int quarter = power < 2 ? 0 : (int) (nanos >>> (power - 2)) & (PER_DOUBLING - 1);
    return power * PER_DOUBLING + quarter;
  }

  private static long upper(int bucket) {
    int power = bucket / PER_DOUBLING;
    long quarter = bucket % PER_DOUBLING + 1L;
    return power < 2 ? 1L << (power + 1) : (1L << power) + (quarter << (power - 2));
  }

  /// Returns the figures over all durations that were added.
  public Latency read() {
    long count = 0;
    for (int i = 0; i < buckets.length(); i++) {
      count += buckets.get(i);
    }
    return new Latency(
        count,
        count == 0 ? 0 : micros(sum.get() / count),
        micros(quantile(count, 0.5)),
        micros(quantile(count, 0.99)),
        micros(max.get()),
        micros(sum.get()),
        cumulative());
  }

  private List<Latency.Bucket> cumulative() {
    List<Latency.Bucket> all = new ArrayList<>();
    long count = 0;
    int next = 0;
    for (int power = FIRST_POWER; power <= LAST_POWER; power += 2) {
      for (; next < power * PER_DOUBLING; next++) {
        count += buckets.get(next);
      }
      all.add(new Latency.Bucket(1L << power, count));
    }
    return all;
  }

  private long quantile(long count, double share) {
    long left = (long) Math.ceil(count * share);
    for (int i = 0; i < buckets.length() && count > 0; i++) {
      left -= buckets.get(i);
      if (left <= 0) {
        return upper(i);
      }
    }
    return 0;
  }

  private static long micros(long nanos) {
    return TimeUnit.NANOSECONDS.toMicros(nanos);
  }
}
