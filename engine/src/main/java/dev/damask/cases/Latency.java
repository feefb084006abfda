package dev.damask.cases;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/// How long something took, over all that was counted.
///
/// @param p50Micros half of them took at most about this long, give or take a quarter
/// @param p99Micros the same for 99 of 100
public record Latency(long count, long meanMicros, long p50Micros, long p99Micros, long maxMicros) {
  /// Counts into buckets that grow by a quarter of a power of two. Written and read by any thread.
  static final class Recorder {
    private static final int PER_DOUBLING = 4;
    private final AtomicLongArray buckets = new AtomicLongArray(64 * PER_DOUBLING);
    private final AtomicLong sum = new AtomicLong();
    private final AtomicLong max = new AtomicLong();

    void record(long nanos) {
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

    Latency read() {
      long count = 0;
      for (int i = 0; i < buckets.length(); i++) {
        count += buckets.get(i);
      }
      return new Latency(
          count,
          count == 0 ? 0 : micros(sum.get() / count),
          micros(quantile(count, 0.5)),
          micros(quantile(count, 0.99)),
          micros(max.get()));
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
}
