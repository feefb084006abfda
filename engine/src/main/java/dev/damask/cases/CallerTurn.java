package dev.damask.cases;

import dev.damask.intake.Request;
import dev.damask.intake.ShardActivity;
import dev.damask.store.CaseRecord;
import dev.damask.store.StoreException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Moves a case on the thread of a caller that waits for the answer, if its shard is idle: a
/// handoff to the shard's thread and back costs more than most moves (ADR 0023).
///
/// A turn is one round with one request. A platform thread enters it with `tryLock` and finds,
/// under the lock, a shard that has nothing else to do ([#isIdle]). Everything that the turn leaves
/// to be done later is done by the shard's thread, which the turn wakes.
final class CallerTurn {
  /// Bound on threads that run cases, publish commits or execute a call. They queue their requests:
  /// a shard's state must not change below a move, and a listener must not publish.
  static final ScopedValue<Boolean> INSIDE = ScopedValue.newInstance();

  /// Ends a turn that an error broke. The stack of a caller may be deep, so the request is repeated
  /// on the shard's thread before the case is quarantined.
  static final class Undo extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Error error;

    Undo(Error cause) {
      super(cause);
      this.error = cause;
    }
  }

  private final Shard shard;
  private long turns; // belongs to the thread that holds the shard's lock

  CallerTurn(Shard shard) {
    this.shard = shard;
  }

  /// Runs a request and publishes its commit. Returns false if nothing was done and the request
  /// must be queued.
  boolean run(Request request, CompletableFuture<?> reply) {
    if (Thread.currentThread().isVirtual() || INSIDE.isBound() || !shard.lock.tryLock()) {
      return false;
    }
    boolean isInterrupted = Thread.interrupted(); // tasks and the store must not see it
    try {
      return ScopedValue.where(INSIDE, true).call(() -> runLocked(request, reply));
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean runLocked(Request request, CompletableFuture<?> reply) {
    boolean isTaken;
    try {
      isTaken = isIdle() && turn(request);
    } finally {
      shard.lock.unlock();
    }
    if (isTaken) {
      publish(reply);
    }
    return isTaken;
  }

  /// Whether the shard has nothing else to do and no thread waits for its lock. Timers that must be
  /// read from the store first are the business of the shard's thread. So is every turn of a node
  /// of a cluster: its store waits while the database is away, and a caller waits only until its
  /// deadline.
  private boolean isIdle() {
    return !shard.engine.ownership.isShared()
        && shard.isAtRest()
        && !shard.lock.hasQueuedThreads()
        && shard.timers.isKnown()
        && shard.timers.known() > shard.options.clock().millis();
  }

  /// Publishes until the caller has its answer; what is left is the shard's.
  private void publish(CompletableFuture<?> reply) {
    try {
      if (!shard.publishing.drain(reply::isDone)) {
        shard.inbox.wake();
      }
    } catch (ShardActivity.LeftBehind e) {
      // The closer refuses what was not published.
    } catch (OutOfMemoryError e) {
      shard.engine.fail(ShardRestart.outOfMemory(shard.number, "", e));
    } catch (RuntimeException | Error e) {
      shard.thread.publishingBroke(e);
    }
  }

  /// How many requests were processed by their callers.
  long turns() {
    return turns;
  }

  private boolean turn(Request request) {
    LiveCase before = shard.live.ready(request.caseId());
    CaseRecord submitted = before == null ? null : before.record;
    boolean isTaken = true;
    try {
      shard.callerRound(request);
      turns++;
    } catch (Undo e) {
      undo(request.caseId(), before, submitted, e);
      isTaken = false;
    } catch (ShardActivity.LeftBehind e) {
      request.refuse(new IllegalStateException(Engine.CLOSED));
    } catch (StoreException e) {
      shard.thread.requireLaunched(e);
      request.refuse(e);
      shard.engine.fail(e);
    } catch (OutOfMemoryError e) {
      StoreException stopped = ShardRestart.outOfMemory(shard.number, shard.current(), e);
      request.refuse(stopped);
      shard.engine.fail(stopped);
    } catch (RuntimeException | Error e) {
      shard.thread.requireLaunched(e);
      isTaken = !(e instanceof Error);
      shard.thread.planRestart(isTaken ? shard.current() : "", e);
      if (isTaken) {
        request.refuse(ShardRestart.sentence(e));
      }
    } finally {
      shard.endCallerRound();
      shard.thread.wakeAfterCaller();
    }
    return isTaken;
  }

  /// Returns the case to the last revision that the store was given. Nothing of the shard was in
  /// flight, so a case that was not in memory is read again.
  private void undo(
      String caseId, @Nullable LiveCase before, @Nullable CaseRecord submitted, Undo why) {
    LiveCase each = shard.live.get(caseId);
    var _ = shard.takeBatch();
    if (each == null) {
      return;
    }
    shard.moving.remove(each);
    shard.options.watch().dropped(caseId);
    if (before == null || submitted == null) {
      shard.live.remove(caseId);
    } else if (each.record == submitted) {
      each.undo(shard.live.lastSubmitted(each));
    } else { // broken between the commit and its submission: only the store knows
      shard.thread.planRestart("", why.error);
    }
  }
}
