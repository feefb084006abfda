package dev.damask.clock;

import java.util.concurrent.TimeUnit;

/// The engine's time, in milliseconds since 1970. While an engine runs it never goes back; timers
/// are compared with it and never fire before it shows their due time.
public interface EngineClock {
  /// Returns the time in milliseconds since 1970.
  long millis();

  /// How long to sleep until it shows a time; at most this, at least 1. A clock that is moved by
  /// hand answers with a long time and calls the waker when it is moved.
  long nanosUntil(long millis);

  /// What to call when the time jumps. Called once by each shard when it starts.
  void onJump(Runnable waker);

  /// Starts at the wall clock's time and continues with the monotonic clock, so that a wall clock
  /// that jumps moves no timer of a running engine.
  static EngineClock system() {
    long startMillis = System.currentTimeMillis();
    long startNanos = System.nanoTime();
    return new EngineClock() {
      @Override
      public long millis() {
        return startMillis + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
      }

      @Override
      public long nanosUntil(long millis) {
        long left = millis - startMillis;
        long nanos = TimeUnit.MILLISECONDS.toNanos(left) - (System.nanoTime() - startNanos);
        return Math.max(1, nanos);
      }

      @Override
      public void onJump(Runnable waker) {
        // Its time does not jump.
      }
    };
  }
}
