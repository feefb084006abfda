package dev.damask.cases;

import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Removes cases that have ended long enough ago, one page after the other. A case that has not
/// ended is never touched: its shard looks again before it lets go.
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

  /// Sweeps now and then until the engine is closed.
  void run(CountDownLatch closed) throws InterruptedException {
    long period = Math.clamp(options.retention().toMillis() / 4, 10, PERIOD_MILLIS);
    do {
      try {
        sweep(options.clock().millis() - options.retention().toMillis());
      } catch (IllegalStateException | CompletionException e) {
        System.getLogger(Engine.class.getName())
            .log(System.Logger.Level.DEBUG, "what is left is removed next time", e);
      }
    } while (!closed.await(period, TimeUnit.MILLISECONDS));
  }

  /// Removes what ended before a time; says how many.
  int sweep(long endedBefore) {
    int removed = 0;
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
        CasePage page = store.list(query.withPage(cursor, PAGE));
        removed += remove(page.cases(), endedBefore);
        cursor = page.next();
      } while (!cursor.isEmpty());
    }
    return removed;
  }

  private int remove(List<CaseRecord> cases, long endedBefore) {
    List<CompletableFuture<Boolean>> removals = new ArrayList<>();
    for (CaseRecord record : cases) {
      if (record.changedMillis() < endedBefore) {
        removals.add(engine.remove(record.caseId(), endedBefore));
      }
    }
    return (int) removals.stream().filter(CompletableFuture::join).count();
  }
}
