package dev.damask.state;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// What a case waits for in time: the earliest first, then in the order the waits began.
public final class Timers {
  public static final long NEVER = Long.MAX_VALUE;

  /// Ends a token's wait or a scope's time. It is dead when the wait or the scope has gone.
  public record Timer(long due, int order, @Nullable Token token, @Nullable Frame frame)
      implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      int byDue = Long.compare(due, other.due);
      return byDue != 0 ? byDue : Integer.compare(order, other.order);
    }

    boolean isLive() {
      if (token != null) {
        return token.wait != null && token.wait.number == order && token.wait.due == due;
      }
      return frame != null && !frame.closed && frame.scope != null && frame.scope.due == due;
    }
  }

  /// The time a number of milliseconds after another; a time beyond the range never comes.
  public static long after(long clock, long millis) {
    return millis > NEVER - Math.max(clock, 0) ? NEVER : clock + millis;
  }

  private final PriorityQueue<Timer> queue = new PriorityQueue<>();

  public void add(long due, int order, Token token) {
    queue.add(new Timer(due, order, token, null));
  }

  public void add(long due, int order, Frame frame) {
    queue.add(new Timer(due, order, null, frame));
  }

  /// The next live timer; null when there is none.
  public @Nullable Timer peek() {
    Timer timer = queue.peek();
    while (timer != null && !timer.isLive()) {
      queue.poll();
      timer = queue.peek();
    }
    return timer;
  }

  /// Removes what [#peek] showed.
  public void remove() {
    queue.poll();
  }
}
