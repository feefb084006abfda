package dev.damask.store.postgres;

import dev.damask.cluster.SlotOwner;
import dev.damask.sql.CommitOutcome;
import dev.damask.sql.ReservedConnection;
import dev.damask.sql.SqlText;
import dev.damask.sql.SuspectRows;
import dev.damask.sql.ThreadFailures;
import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// The thread of a node that resumes the cases of nodes that died, one batch after the other. It
/// does nothing while there are none.
final class SuspectBatches {
  private static final System.Logger LOG = System.getLogger(SuspectBatches.class.getName());
  private static final int DEATHS_MAX = 3;
  private static final long PAUSE_MILLIS = 100;

  private final PostgresNode node;
  private final SuspectRows rows;
  private final ReservedConnection reserved;
  private final ThreadFailures failures; // used by this thread
  private final Semaphore news = new Semaphore(0);
  private final Set<String> waiting = ConcurrentHashMap.newKeySet(); // held by the engine
  private final Object lock = new Object(); // between reading the rows and telling the engine
  private Set<String> running = Set.of(); // guarded by lock: the batch that may move
  private volatile boolean isStopped; // written by the thread that changes ownership

  SuspectBatches(PostgresNode node, SqlText sql) {
    this.node = node;
    this.rows = new SuspectRows(sql);
    this.reserved = new ReservedConnection(node.connections());
    this.failures = new ThreadFailures("the resumption of suspects of node " + node.id());
  }

  /// Reports the suspects among the cases of the node's slots to the engine, before these slots
  /// are. The batch that is tried out at the moment is not held again: its results would wait for
  /// ever.
  void report(SlotOwner owner) throws SQLException {
    synchronized (lock) {
      List<String> found = new ArrayList<>();
      try (Connection connection = node.connections().take()) {
        rows.of(connection, node.id()).forEach(each -> found.add(each.caseId()));
      }
      found.removeAll(running);
      if (!found.isEmpty()) {
        owner.suspected(found);
        waiting.addAll(found);
        news.release();
      }
    }
  }

  void stop() {
    isStopped = true;
    news.release();
  }

  /// Tries batches out until it is stopped or the node is fenced.
  void run(SlotOwner owner) throws InterruptedException {
    try {
      while (!isStopped && !node.isFenced()) {
        if (news.tryAcquire(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
          news.drainPermits();
          if (!tryNext(owner) && !isStopped) {
            news.tryAcquire(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            news.release();
          }
        }
      }
    } finally {
      reserved.close();
    }
  }

  private boolean tryNext(SlotOwner owner) throws InterruptedException {
    try {
      return next(owner);
    } catch (RuntimeException | Error e) { // the suspects would never be resumed
      failures.report(e);
      return false;
    }
  }

  /// Tries one batch out. Returns whether there are no suspects left.
  private boolean next(SlotOwner owner) throws InterruptedException {
    List<SuspectRows.Suspect> batch = new ArrayList<>();
    synchronized (lock) {
      if (!node.mayWork() || !commit(c -> batch.addAll(rows.begin(c, node.id())))) {
        return false;
      }
      running = batch.stream().map(SuspectRows.Suspect::caseId).collect(Collectors.toSet());
      if (!waiting.containsAll(running)) {
        running = Set.of();
        return false; // the engine does not have their slots yet
      }
    }
    if (batch.isEmpty()) {
      return resumeCleared(owner);
    }
    List<String> tried = new ArrayList<>();
    for (SuspectRows.Suspect each : batch) {
      if (each.deaths() < DEATHS_MAX) {
        tried.add(each.caseId());
      } else {
        String why =
            "%d nodes died while it was the only case that they resumed".formatted(each.deaths());
        LOG.log(System.Logger.Level.ERROR, "case {0} is quarantined: {1}", each.caseId(), why);
        owner.condemn(each.caseId(), why);
        waiting.remove(each.caseId());
      }
    }
    tryOut(owner, tried);
    while (!node.isFenced() && !commit(this::end)) {
      news.tryAcquire(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
    synchronized (lock) {
      running = Set.of();
    }
    return false;
  }

  private void tryOut(SlotOwner owner, List<String> cases) throws InterruptedException {
    if (!cases.isEmpty()) {
      LOG.log(
          System.Logger.Level.INFO,
          "node {0} resumes {1} cases of a node that died",
          node.id(),
          cases.size());
      owner.tryOut(cases);
      cases.forEach(waiting::remove);
    }
  }

  /// Resumes the cases that another node has tried out while their slots moved here.
  private boolean resumeCleared(SlotOwner owner) throws InterruptedException {
    Set<String> left = new HashSet<>();
    try (Connection connection = node.connections().take()) {
      rows.of(connection, node.id()).forEach(each -> left.add(each.caseId()));
    } catch (SQLException | StoreException e) {
      return false;
    }
    tryOut(owner, waiting.stream().filter(each -> !left.contains(each)).toList());
    return left.isEmpty();
  }

  private boolean end(Connection connection) throws SQLException {
    rows.end(connection, node.id());
    return true;
  }

  /// Commits behind the fence. Returns whether that is certain.
  private boolean commit(FencedCommit.SqlFunction<Boolean> work) {
    try {
      CommitOutcome outcome = node.commit(reserved.get(), node.epoch(), work);
      if (outcome instanceof CommitOutcome.Done) {
        return true;
      }
    } catch (SQLException | StoreException e) {
      LOG.log(System.Logger.Level.DEBUG, "suspects cannot be written at the moment", e);
    }
    reserved.discard();
    return false;
  }
}
