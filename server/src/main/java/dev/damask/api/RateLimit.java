package dev.damask.api;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// How many requests per second each token may send, or each address may have refused, with a burst
/// of two seconds' worth.
public final class RateLimit {
  private static final int NAMES_MAX = 10_000;
  private static final double NANOS = 1e9;
  private static final double REFUSALS_PER_SECOND = 10;

  private final double perSecond;
  private final LongSupplier nanos;
  private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true); // with its lock

  private static final class Bucket {
    double left;
    long at;
  }

  /// Creates a limit.
  ///
  /// @param perSecond requests per second and token; 0 for no limit
  /// @param nanos a clock such as `System::nanoTime`
  public RateLimit(double perSecond, LongSupplier nanos) {
    this.perSecond = perSecond;
    this.nanos = nanos;
  }

  /// Returns the limit of refused requests per address: none if there is no limit of requests.
  RateLimit ofRefusals() {
    return new RateLimit(Math.min(perSecond, REFUSALS_PER_SECOND), nanos);
  }

  /// Throws [Problem] if there were too many requests, without counting one.
  void require(String name) {
    synchronized (buckets) {
      Bucket bucket = buckets.get(name);
      if (bucket != null && perSecond > 0) {
        double since = (nanos.getAsLong() - bucket.at) / NANOS;
        if (bucket.left + since * perSecond < 1) {
          throw tooMany();
        }
      }
    }
  }

  private Problem tooMany() {
    return new Problem(
        Problem.Kind.TOO_MANY,
        "at most %.0f requests per second are answered; try again later".formatted(perSecond));
  }

  /// Counts a request. Throws [Problem] if there were too many.
  void take(String name) {
    if (perSecond <= 0) {
      return;
    }
    long now = nanos.getAsLong();
    synchronized (buckets) {
      Bucket bucket = buckets.get(name);
      if (bucket == null) {
        bucket = new Bucket();
        bucket.left = 2 * perSecond;
        bucket.at = now;
        buckets.put(name, bucket);
        if (buckets.size() > NAMES_MAX) {
          buckets.remove(buckets.keySet().iterator().next());
        }
      }
      bucket.left = Math.min(2 * perSecond, bucket.left + (now - bucket.at) / NANOS * perSecond);
      bucket.at = now;
      if (bucket.left < 1) {
        throw tooMany();
      }
      bucket.left--;
    }
  }
}
