package dev.damask.intake;

import dev.damask.clock.EngineClock;
import dev.damask.ops.KeptCases;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Removes cases after the retention period, page by page. A case that has not ended is never
/// removed, because its shard checks it again, and neither are [KeptCases].
public final class Retention {
  /// Removes cases of an engine.
  public interface Removal {
    /// Removes a case that has ended and not changed since a time. Completes with whether it did.
    CompletableFuture<Boolean> remove(String caseId, long endedBefore);
  }

  private static final long PERIOD_MILLIS = 60_000;
  private static final int PAGE = 500;

  private final Removal engine;
  private final Store store;
  private final EngineClock clock;
  private final long retentionMillis;

  /// Creates the retention of an engine.
  public Retention(Removal engine, Store store, EngineClock clock, Duration retention) {
    this.engine = engine;
    this.store = store;
    this.clock = clock;
    this.retentionMillis = retention.toMillis();
  }

  /// Sweeps periodically until the engine is closed or has stopped. A sweep that fails is reported;
  /// the next one tries again.
  public void run(CountDownLatch closed, BooleanSupplier hasFailed) throws InterruptedException {
    long period = Math.clamp(retentionMillis / 4, 10, PERIOD_MILLIS);
    do {
      try {
        sweep(clock.millis() - retentionMillis);
      } catch (RuntimeException e) { // whatever the store throws: retention never stops the engine
        report(e, closed.getCount() == 0, period);
      }
    } while (!hasFailed.getAsBoolean() && !closed.await(period, TimeUnit.MILLISECONDS));
  }

  private static void report(RuntimeException thrown, boolean isClosing, long period) {
    System.getLogger(Retention.class.getName())
        .log(
            isClosing ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
            "retention failed; it is tried again in " + period + " ms",
            thrown);
  }

  /// Removes the cases that ended before a time and returns how many.
  public int sweep(long endedBefore) {
    int[] removed = {0};
    sweep(
        endedBefore,
        removals -> removed[0] += (int) removals.stream().filter(CompletableFuture::join).count());
    return removed[0];
  }

  /// Removes what ended before a time.
  ///
  /// @param page is given the removals of each page, before the next page is read
  public void sweep(long endedBefore, Consumer<List<CompletableFuture<Boolean>>> page) {
    for (CaseStatus status : CaseStatus.values()) {
      if (!status.isEnded()) {
        continue;
      }
      // No case ends before it starts, so what started later need not be looked at.
      CaseQuery query =
          CaseQuery.ALL
              .withStatus(status)
              .withStarted(Long.MIN_VALUE, endedBefore)
              .withPage("", PAGE);
      String cursor = "";
      do {
        CasePage read = store.list(query.withPage(cursor, PAGE));
        page.accept(remove(read.cases(), endedBefore));
        cursor = read.next();
      } while (!cursor.isEmpty());
    }
  }

  private List<CompletableFuture<Boolean>> remove(List<CaseRecord> cases, long endedBefore) {
    List<CompletableFuture<Boolean>> removals = new ArrayList<>();
    for (CaseRecord record : cases) {
      if (record.changedMillis() < endedBefore && !KeptCases.contains(store, record.caseId())) {
        removals.add(engine.remove(record.caseId(), endedBefore));
      }
    }
    return removals;
  }
}
