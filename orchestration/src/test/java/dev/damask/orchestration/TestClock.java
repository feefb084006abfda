package dev.damask.orchestration;

import dev.damask.cases.EngineClock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/// A clock that stands still until it is moved.
final class TestClock implements EngineClock {
  private final List<Runnable> wakers = new CopyOnWriteArrayList<>();
  private final java.util.concurrent.atomic.AtomicLong now =
      new java.util.concurrent.atomic.AtomicLong(1_000_000);

  void advance(long millis) {
    now.addAndGet(millis);
    wakers.forEach(Runnable::run);
  }

  @Override
  public long millis() {
    return now.get();
  }

  @Override
  public long nanosUntil(long millis) {
    return TimeUnit.HOURS.toNanos(1);
  }

  @Override
  public void onJump(Runnable waker) {
    wakers.add(waker);
  }
}
