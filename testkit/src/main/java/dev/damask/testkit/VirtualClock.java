package dev.damask.testkit;

import dev.damask.cases.EngineClock;

/// A clock that shows what a test or a simulation says.
public final class VirtualClock implements EngineClock {
  private long millis;

  public VirtualClock(long startMillis) {
    this.millis = startMillis;
  }

  /// Moves on to a time; it never goes back.
  public void moveTo(long time) {
    millis = Math.max(millis, time);
  }

  /// The true time, whatever an engine may read.
  public long time() {
    return millis;
  }

  @Override
  public long millis() {
    return millis;
  }

  @Override
  public long nanosUntil(long due) {
    return 0;
  }

  @Override
  public void onJump(Runnable waker) {
    // Nobody sleeps.
  }
}
