package dev.damask.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// Decides which nodes are dead, from one observer's readings of their heartbeat counters.
///
/// A node is dead when its counter has had the same value for a whole lease by the observer's
/// monotonic clock, and the observer's readings were never further apart than a third of the lease.
/// After a larger gap (a pause of the observer, a database that is away) every count begins again,
/// because the other nodes may have been unable to raise their counters during the gap.
///
/// Not thread-safe: one thread per node polls.
public final class HeartbeatJudge {
  /// A counter's value and when the observer had it first.
  private record Seen(long counter, long sinceNanos) {}

  private final long leaseNanos;
  private final Map<Integer, Seen> seen = new HashMap<>();
  private boolean hasRead;
  private long lastSentNanos;

  public HeartbeatJudge(long leaseNanos) {
    if (leaseNanos < 1) {
      throw new IllegalArgumentException("the lease must be positive, got " + leaseNanos);
    }
    this.leaseNanos = leaseNanos;
  }

  /// Adds a reading and returns the nodes that are dead, with the counters they died with.
  ///
  /// The database read the counters at some time between the two given ones. The judge assumes the
  /// worse of both ends, so that a slow round trip never makes a node look dead earlier.
  ///
  /// @param sentNanos the monotonic time before the request was sent
  /// @param receivedNanos the monotonic time after the response was received
  public Map<Integer, Long> read(long sentNanos, long receivedNanos, Map<Integer, Long> counters) {
    if (hasRead && receivedNanos - lastSentNanos > leaseNanos / 3) {
      seen.clear();
    }
    hasRead = true;
    lastSentNanos = sentNanos;
    seen.keySet().retainAll(counters.keySet());
    Map<Integer, Long> dead = new TreeMap<>();
    counters.forEach((node, counter) -> {
      Seen before = seen.get(node);
      if (before == null || before.counter != counter) {
        seen.put(node, new Seen(counter, receivedNanos));
      } else if (sentNanos - before.sinceNanos >= leaseNanos) {
        dead.put(node, counter);
      }
    });
    return dead;
  }
}
