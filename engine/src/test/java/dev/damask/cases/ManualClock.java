package dev.damask.cases;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// A clock that stands still until it is moved.
final class ManualClock implements EngineClock {
  private final AtomicLong millis;
  private final List<Runnable> wakers = new CopyOnWriteArrayList<>();

  ManualClock(long start) {
    this.millis = new AtomicLong(start);
  }

  void advance(long by) {
    millis.addAndGet(by);
    wakers.forEach(Runnable::run);
  }

  @Override
  public long millis() {
    return millis.get();
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
