package dev.damask.simulation;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// What happens when: a queue by virtual time, and by the order of planning within one moment.
final class EventQueue {
  /// Something that happens.
  ///
  /// @param life the opening of the engine it belongs to; it is void after a crash. 0 for what
  ///   survives crashes
  record Entry(long atMillis, long number, int life, String what, Runnable action)
      implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(atMillis, other.atMillis);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private long planned;

  void plan(long atMillis, int life, String what, Runnable action) {
    entries.add(new Entry(atMillis, ++planned, life, what, action));
  }

  @Nullable Entry poll() {
    return entries.poll();
  }

  /// When the next thing happens.
  long next() {
    Entry first = entries.peek();
    return first == null ? Long.MAX_VALUE : first.atMillis;
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }
}
