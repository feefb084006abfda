package dev.damask.simulation;

import dev.damask.clock.EngineClock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/// A clock whose time changes only when it is set.
final class StoppedClock implements EngineClock {
  private final List<Runnable> wakers = new CopyOnWriteArrayList<>();
  private volatile long millis; // written by the test, read by the shards

  void set(long time) {
    millis = time;
    wakers.forEach(Runnable::run);
  }

  @Override
  public long millis() {
    return millis;
  }

  @Override
  public long nanosUntil(long due) {
    return TimeUnit.HOURS.toNanos(1);
  }

  @Override
  public void onJump(Runnable waker) {
    wakers.add(waker);
  }
}
