package dev.damask.orchestration;

import dev.damask.cases.EngineClock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// A clock that stands still until it is moved.
final class PlanClock implements EngineClock {
  /// Where it stands at first.
  static final long BEGINNING = 1_000_000;

  private final List<Runnable> wakers = new CopyOnWriteArrayList<>();
  private final AtomicLong now = new AtomicLong(BEGINNING);

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
