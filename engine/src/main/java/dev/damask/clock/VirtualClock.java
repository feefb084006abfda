package dev.damask.clock;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A clock that only its owner moves: no time passes by itself. One thread moves it; every thread
/// may read it.
public final class VirtualClock implements EngineClock {
  private final List<Runnable> wakers = new CopyOnWriteArrayList<>();
  private volatile long millis; // written by the owner, read by the shards
  private volatile long offset; // as above

  public VirtualClock(long startMillis) {
    this.millis = startMillis;
  }

  /// Moves on to a time and wakes the engine; it never goes back.
  public void moveTo(long time) {
    synchronized (this) {
      millis = Math.max(millis, time);
    }
    wakers.forEach(Runnable::run);
  }

  /// Lets an amount of time pass and wakes the engine.
  public void advance(long byMillis) {
    moveTo(millis + byMillis);
  }

  /// Sets what it shows forward or back, as an operator sets a machine's clock. Only between two
  /// engines: the clock of a running one never goes back.
  public synchronized void set(long byMillis) {
    offset += byMillis;
  }

  /// The time that has really passed since the start, after the start of the clock.
  public long time() {
    return millis;
  }

  /// What it should show: the time that has passed and what it was set by.
  public long shown() {
    return millis + offset;
  }

  @Override
  public long millis() {
    return millis + offset;
  }

  @Override
  public long nanosUntil(long due) {
    return Long.MAX_VALUE; // a shard sleeps until the clock is moved
  }

  @Override
  public void onJump(Runnable waker) {
    wakers.add(waker);
  }
}
