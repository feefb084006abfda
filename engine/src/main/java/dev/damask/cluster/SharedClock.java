package dev.damask.cluster;

import dev.damask.clock.EngineClock;

/// The time of the engines on one database: the database's.
public record SharedClock(SharedStore store) implements EngineClock {
  @Override
  public long millis() {
    return store.millis();
  }

  @Override
  public long nanosUntil(long millis) {
    return store.nanosUntil(millis);
  }

  @Override
  public void onJump(Runnable waker) {
    // A reading that is ahead makes timers at most half a second late.
  }
}
