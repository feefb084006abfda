package dev.damask.cases;

import dev.damask.ops.KeptCases;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Removes cases that have ended long enough ago, one page after the other. A case that has not
/// ended is never touched: its shard looks again before it lets go. Nor are [KeptCases].
final class Retention {
  private static final long PERIOD_MILLIS = 60_000;
  private static final int PAGE = 500;

  private final Engine engine;
  private final Store store;
  private final EngineOptions options;

  Retention(Engine engine, Store store, EngineOptions options) {
    this.engine = engine;
    this.store = store;
    this.options = options;
  }

  /// Sweeps periodically until the engine is closed or has stopped. A sweep that fails is reported;
  /// the next one tries again.
  void run(CountDownLatch closed) throws InterruptedException {
    long period = Math.clamp(options.retention().toMillis() / 4, 10, PERIOD_MILLIS);
    do {
      try {
        sweep(options.clock().millis() - options.retention().toMillis());
      } catch (RuntimeException e) { // whatever the store throws: retention never stops the engine
        report(e, closed.getCount() == 0, period);
      }
    } while (engine.failure() == null && !closed.await(period, TimeUnit.MILLISECONDS));
  }

  private static void report(RuntimeException thrown, boolean isClosing, long period) {
    System.getLogger(Engine.class.getName())
        .log(
            isClosing ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
            "retention failed; it is tried again in " + period + " ms",
            thrown);
  }

  /// Removes the cases that ended before a time and returns how many.
  int sweep(long endedBefore) {
    int[] removed = {0};
    sweep(
        endedBefore,
        removals -> removed[0] += (int) removals.stream().filter(CompletableFuture::join).count());
    return removed[0];
  }

  /// Removes what ended before a time.
  ///
  /// @param page is given the removals of each page, before the next page is read
  void sweep(long endedBefore, Consumer<List<CompletableFuture<Boolean>>> page) {
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
