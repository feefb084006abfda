package dev.damask.cases;

import dev.damask.intake.ShardActivity;
import dev.damask.store.CaseRecord;
import dev.damask.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The life of a shard's own thread: it waits for work, runs rounds under the shard's lock,
/// publishes their commits after releasing it, and ends when the engine closes and everything of
/// the shard is durable.
final class ShardThread {
  private final Shard shard;
  private final ShardRestart restart;

  // Written by a caller's thread, taken by the shard's thread; null while nothing broke.
  private final AtomicReference<@Nullable Throwable> brokenPublishing = new AtomicReference<>();

  // Written by the shard's thread under the shard's lock.
  private boolean isFull; // it waits for the store only
  private long waitNanos; // how long it waits for work
  private long wakeAtMillis = CaseRecord.NEVER; // the timer that it waits for

  private volatile @Nullable CountDownLatch ended; // written before the start; null before that

  ShardThread(Shard shard) {
    this.shard = shard;
    this.restart = new ShardRestart(shard);
  }

  /// Before the thread starts: there is an end to wait for.
  void launching() {
    ended = new CountDownLatch(1);
  }

  /// Rethrows what broke a turn of an engine without threads, whose owner handles it.
  void requireLaunched(Throwable thrown) {
    if (ended == null) {
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) thrown;
    }
  }

  /// Lives until it is stopped and everything it has is durable.
  void run() throws InterruptedException {
    shard.options.clock().onJump(shard.inbox::wake);
    try {
      ScopedValue.where(CallerTurn.INSIDE, true)
          .call(() -> {
            work();
            return true;
          });
    } catch (ShardActivity.LeftBehind e) {
      // The closer has named it and has answered the callers.
    } finally {
      CountDownLatch latch = ended;
      if (latch != null) {
        latch.countDown();
      }
    }
  }

  private void work() throws InterruptedException {
    try {
      while (shard.isNeeded()) {
        safeRound();
      }
      settle();
    } catch (StoreException e) {
      shard.engine.fail(e);
    } catch (ShardActivity.LeftBehind e) {
      throw e;
    } catch (RuntimeException | Error e) {
      shard.engine.fail(new StoreException("a shard broke: " + e, e));
      throw e;
    } finally {
      shard.inbox.close();
      shard.publishing.drainAndWait();
      shard.activity.begin();
      shard.refuseEverybody();
      shard.activity.end();
    }
  }

  /// A round; what breaks it outside of a move restarts the shard, and the engine continues.
  private void safeRound() throws InterruptedException {
    shard.inbox.await(!isFull, waitNanos); // without the lock
    shard.lock.lock();
    try {
      waitNanos = 0;
      Throwable broken = brokenPublishing.getAndSet(null);
      if (broken != null) {
        restart.plan("", broken);
      }
      restart.begin();
      shard.timers.next(); // reads the store, and may fail before a request is taken
      shard.round();
      planWait();
    } catch (StoreException | ShardActivity.LeftBehind e) {
      throw e;
    } catch (OutOfMemoryError e) {
      throw ShardRestart.outOfMemory(shard.number, shard.current(), e);
    } catch (RuntimeException | Error e) {
      restart.plan(shard.current(), e);
      isFull = false;
    } finally {
      shard.lock.unlock();
    }
    publish();
  }

  private void planWait() {
    isFull = shard.isFull();
    if (isFull) {
      waitNanos = Long.MAX_VALUE;
    } else if (shard.isSettled()) {
      long next = shard.permits.next(shard.timers.next());
      waitNanos =
          next == CaseRecord.NEVER ? Long.MAX_VALUE : shard.options.clock().nanosUntil(next);
    }
    wakeAtMillis = shard.timers.known();
  }

  /// Wakes the thread if the turn of a caller has left something to do: a case that still moves, a
  /// restart, or a timer before the one that the thread waits for. A commit in flight wakes it when
  /// it is durable. The caller holds the shard's lock.
  void wakeAfterCaller() {
    if (!shard.moving.isEmpty() || isRestarting() || isTimerNew()) {
      shard.inbox.wake();
    }
  }

  private boolean isTimerNew() {
    return shard.timers.known() < wakeAtMillis;
  }

  private void publish() {
    try {
      shard.publishing.drain(() -> false);
    } catch (StoreException | ShardActivity.LeftBehind e) {
      throw e;
    } catch (OutOfMemoryError e) {
      throw ShardRestart.outOfMemory(shard.number, "", e);
    } catch (RuntimeException | Error e) {
      publishingBroke(e);
    }
  }

  /// An entry of the publish queue broke outside of user code.
  void publishingBroke(Throwable thrown) {
    requireLaunched(thrown);
    brokenPublishing.compareAndSet(null, thrown);
    shard.inbox.wake();
  }

  /// Restarts the shard in its next round. The caller holds the shard's lock.
  void planRestart(String caseId, Throwable thrown) {
    restart.plan(caseId, thrown);
  }

  boolean isRestarting() {
    return restart.isPlanned() || brokenPublishing.get() != null;
  }

  /// Records that a case was being moved when the process died, see [ShardRestart#blame].
  void blame(String caseId, long now) {
    restart.blame(caseId, now);
  }

  /// Commits what still moves and waits until all is durable and published.
  private void settle() throws InterruptedException {
    shard.lock.lock();
    try {
      shard.settle();
    } finally {
      shard.lock.unlock();
    }
    shard.publishing.drainAndWait();
  }

  /// False if the shard has not ended within a time.
  boolean awaitEnd(Duration time) throws InterruptedException {
    CountDownLatch latch = ended;
    return latch == null || latch.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /// Gives up the thread that runs user code of the shard and returns what it does; null if no
  /// thread is in user code. What the shard has not handed to the store is lost, as if the process
  /// had died.
  @Nullable String leaveBehind() {
    String moving = shard.activity.leaveBehind(shard.number);
    if (moving != null) {
      shard.publishing.activity.leave();
      return moving;
    }
    if (!shard.lock.tryLock()) {
      return null;
    }
    try {
      String publishing = shard.publishing.activity.leaveBehind(shard.number);
      if (publishing != null) {
        shard.activity.leave();
      }
      return publishing;
    } finally {
      shard.lock.unlock();
    }
  }
}
