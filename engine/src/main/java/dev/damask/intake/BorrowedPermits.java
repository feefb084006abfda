package dev.damask.intake;

import dev.damask.cluster.SharedStore;
import dev.damask.effect.PermitAnswer;
import dev.damask.effect.PermitNeed;
import dev.damask.effect.Permits;
import dev.damask.effect.RateNeed;
import dev.damask.store.StoreException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// The thread of a node that borrows the permits of limited effects from the cluster and returns
/// them. It borrows as many as there are calls that wait, in one request for each limit, and does
/// nothing while the node has what it needs.
public final class BorrowedPermits {
  /// How long a permit stays here that no call uses, and how often calls ask that still wait.
  private static final long PAUSE_MILLIS = 100;

  /// How many limits one transaction asks about.
  private static final int NEEDS_MAX = 1_000;

  private final Supplier<Permits> permits;
  private final SharedStore store;
  private final Semaphore changed = new Semaphore(0);

  /// One question after the other, or an answer could be older than what the store has.
  private final ReentrantLock exchanging = new ReentrantLock();

  /// @param permits the permits of the engine, when it is open
  public BorrowedPermits(Supplier<Permits> permits, SharedStore store) {
    this.permits = permits;
    this.store = store;
  }

  /// Checks at once for calls that wait. Any thread may call it.
  public void wake() {
    changed.release();
  }

  /// Borrows and returns permits until the engine is closed.
  public void run(CountDownLatch closed) throws InterruptedException {
    if (permits.get().isEmpty()) {
      return;
    }
    String reported = "";
    while (closed.getCount() > 0) {
      boolean _ = changed.tryAcquire(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      changed.drainPermits();
      try {
        exchange();
        reported = "";
      } catch (StoreException e) {
        System.getLogger(BorrowedPermits.class.getName())
            .log(System.Logger.Level.DEBUG, "no permits can be borrowed at the moment", e);
      } catch (RuntimeException e) { // whatever the store throws: calls that wait need permits
        reported = Service.report("no permits can be borrowed; they are again soon", e, reported);
      }
    }
  }

  private void exchange() {
    exchanging.lock();
    try {
      borrow(permits.get().needs());
    } finally {
      exchanging.unlock();
    }
    for (RateNeed need : permits.get().rateNeeds()) {
      begin(need);
    }
  }

  private void borrow(List<PermitNeed> needs) {
    for (int from = 0; from < needs.size(); from += NEEDS_MAX) {
      List<PermitNeed> some = needs.subList(from, Math.min(from + NEEDS_MAX, needs.size()));
      List<PermitAnswer> answers = store.borrow(some);
      for (int i = 0; i < some.size(); i++) {
        permits.get().allow(some.get(i), answers.get(i), store.millis());
      }
    }
  }

  private void begin(RateNeed need) {
    long until = System.nanoTime() + need.validity().toNanos();
    int calls = store.begin(need);
    if (calls > 0) {
      permits.get().begin(need.type(), calls, until, store.millis());
    }
  }

  /// Borrows for a call that does not wait.
  public void borrowNow(String type, String key) {
    exchanging.lock();
    try {
      borrow(permits.get().needs(type, key).stream().map(PermitNeed::andOne).toList());
    } finally {
      exchanging.unlock();
    }
    permits.get().rateNeed(type).ifPresent(this::begin);
  }
}
