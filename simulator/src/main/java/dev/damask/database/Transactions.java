package dev.damask.database;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The transactions that have written, and how they ended.
final class Transactions {
  private static final long FIRST = 3;

  /// What a statement sees: transactions that had committed when it was taken.
  record Snapshot(long next, Set<Long> running) {
    /// Returns the oldest transaction that was running.
    long oldest() {
      return running.isEmpty() ? next : ((TreeSet<Long>) running).first();
    }
  }

  private final Map<Long, Boolean> ended = new HashMap<>(); // true if committed
  private final TreeSet<Long> running = new TreeSet<>();
  private final List<Snapshot> kept = new ArrayList<>(); // of transactions with one snapshot
  private long next = FIRST;

  long begin() {
    running.add(next);
    return next++;
  }

  void end(long transaction, boolean isCommitted) {
    running.remove(transaction);
    ended.put(transaction, isCommitted);
  }

  /// Takes back a commit that a failover has lost.
  void lose(long transaction) {
    ended.put(transaction, false);
  }

  Snapshot snapshot() {
    return new Snapshot(next, new TreeSet<>(running));
  }

  void keep(Snapshot snapshot) {
    kept.add(snapshot);
  }

  void release(Snapshot snapshot) {
    kept.remove(snapshot);
  }

  /// Returns a transaction before which everything has ended for every snapshot. Statements that
  /// run may have older snapshots, so a margin is kept.
  long oldest() {
    long oldest = running.isEmpty() ? next : running.first();
    for (Snapshot each : kept) {
      oldest = Math.min(oldest, each.oldest());
    }
    return oldest;
  }

  boolean isRunning(long transaction) {
    return running.contains(transaction);
  }

  boolean isCommitted(long transaction) {
    return Boolean.TRUE.equals(ended.get(transaction));
  }

  boolean isAborted(long transaction) {
    return Boolean.FALSE.equals(ended.get(transaction));
  }

  /// Returns whether a snapshot sees what a transaction has done.
  boolean isSeen(long transaction, Snapshot snapshot) {
    return transaction < snapshot.next
        && !snapshot.running.contains(transaction)
        && isCommitted(transaction);
  }
}
