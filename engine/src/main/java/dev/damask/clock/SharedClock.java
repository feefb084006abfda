package dev.damask.clock;

import dev.damask.store.SharedStore;

/// The clock of a cluster: the time of its database, carried on by the node's monotonic clock.
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
