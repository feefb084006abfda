package dev.damask.spring.test;

import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.EffectIntent;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// The time of a [DamaskTest]: it changes only when the test advances it.
public final class VirtualTime {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long PAUSE_NANOS = 500_000;

  private final Engine engine;
  private final VirtualClock clock;

  VirtualTime(Engine engine, VirtualClock clock) {
    this.engine = engine;
    this.clock = clock;
  }

  /// Returns the time that the engine shows.
  public Instant now() {
    return Instant.ofEpochMilli(clock.millis());
  }

  /// Lets time pass. It stops at every timer on the way and waits there until the engine rests, so
  /// that each timer sees the time it was set for.
  public void advance(Duration time) {
    long target = clock.millis() + time.toMillis();
    for (long due = settle(); due <= target; due = settle()) {
      clock.moveTo(due);
    }
    clock.moveTo(target);
    settle();
  }

  /// Waits until every case waits for time, for an event or for an external caller. Throws
  /// `IllegalStateException` if a handler does not return within 10 seconds.
  public void rest() {
    settle();
  }

  /// Returns the time of the next timer.
  private long settle() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      long next = Long.MAX_VALUE;
      List<String> busy = new ArrayList<>();
      for (CaseView view : openCases()) {
        next = Math.min(next, view.nextDue().orElse(Long.MAX_VALUE));
        if (isBusy(view)) {
          busy.add(view.caseId() + " " + view.tasks().stream().map(PendingTask::task).toList());
        }
      }
      if (busy.isEmpty()) {
        return next;
      }
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "cases still run after %s: %s; a handler does not return".formatted(PATIENCE, busy));
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private boolean isBusy(CaseView view) {
    return view.status() == CaseStatus.RUNNING
        || view.nextDue().orElse(Long.MAX_VALUE) <= clock.millis()
        || view.tasks().stream().anyMatch(this::isInProgress);
  }

  private boolean isInProgress(PendingTask task) {
    return task.held() == EffectIntent.Held.NOT && task.notBefore().isEmpty();
  }

  private List<CaseView> openCases() {
    List<CaseView> open = new ArrayList<>();
    for (CaseStatus status : List.of(CaseStatus.RUNNING, CaseStatus.WAITING)) {
      CaseQuery query = CaseQuery.ALL.withStatus(status);
      CasePage page = engine.list(query);
      page.cases().forEach(each -> open.add(engine.status(each.caseId())));
    }
    return open;
  }
}
