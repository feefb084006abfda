package dev.damask.store.postgres;

import dev.damask.cluster.CommitId;
import dev.damask.cluster.DoubtVerdict;
import dev.damask.cluster.Slots;
import dev.damask.sql.CommitOutcome;
import dev.damask.sql.NodeState;
import dev.damask.sql.ReservedConnection;
import dev.damask.sql.SqlText;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseMovedException;
import dev.damask.store.CommitBatch;
import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/// Batches that are to be committed, in order. One thread writes all waiting batches as one
/// transaction.
///
/// While the database is away the thread tries again with growing pauses; nothing fails. A commit
/// in doubt is settled by its id before anything else is written. After the first lasting failure
/// (a stale revision, a fenced node) every later batch fails.
final class CommitQueue {
  private static final int QUEUE_MAX = 1_024;
  private static final int CASES_MAX = 1_000;
  private static final long PAUSE_MIN_MILLIS = 10;
  private static final long PAUSE_MAX_MILLIS = 1_000;

  /// A batch and the future of its committer.
  private record Entry(CommitBatch batch, CompletableFuture<Void> done) {
    Entry(CommitBatch batch) {
      this(batch, new CompletableFuture<>());
    }
  }

  /// Batches that were given together. The last element is empty.
  private final BlockingQueue<List<Entry>> queue = new ArrayBlockingQueue<>(QUEUE_MAX);

  private final ReadWriteLock door = new ReentrantReadWriteLock();
  private final CountDownLatch closing = new CountDownLatch(1);
  private boolean isClosed; // guarded by `door`

  private final PostgresNode node;
  private final ReservedConnection reserved;
  private final RowWriter writer;
  private final SqlText sql;
  private final long epoch;
  private final boolean isShared;

  private volatile long giveUpNanos; // written by the closer, before the next
  private volatile boolean isHurried; // as above

  // Written and read by the writer's thread.
  private @Nullable StoreException failure;
  private @Nullable List<Entry> left; // taken from the queue, but not part of the last transaction

  /// @param isShared whether other nodes own slots, too
  CommitQueue(PostgresNode node, SqlText sql, boolean isShared) {
    this.node = node;
    this.sql = sql;
    this.reserved = new ReservedConnection(node.connections());
    this.writer = new RowWriter(sql);
    this.epoch = node.epoch();
    this.isShared = isShared;
  }

  CompletableFuture<Void> commit(CommitBatch batch) {
    return commitAll(List.of(batch)).getFirst();
  }

  /// Takes the connection of the writer's thread now. Called once, before that thread starts.
  void reserve() throws SQLException {
    var _ = reserved.get();
  }

  /// Commits batches in one transaction, without those that must be refused.
  List<CompletableFuture<Void>> commitAll(List<CommitBatch> batches) {
    List<Entry> entries = batches.stream().map(Entry::new).toList();
    door.readLock().lock();
    try {
      if (isClosed) {
        fail(entries, new StoreException("the store is closed"));
      } else if (!entries.isEmpty()) {
        put(entries);
      }
      return entries.stream().map(Entry::done).toList();
    } finally {
      door.readLock().unlock();
    }
  }

  private void put(List<Entry> entries) {
    boolean isInterrupted = false;
    while (true) {
      try {
        queue.put(entries);
        break;
      } catch (InterruptedException e) {
        isInterrupted = true; // the batch must not be lost; the caller sees the interrupt flag
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Writes everything that waits, in one transaction. Returns false after the last entry.
  boolean writeNext() throws InterruptedException {
    List<Entry> first = left == null ? queue.take() : left;
    left = null;
    if (first.isEmpty()) {
      reserved.close();
      return false;
    }
    List<Entry> entries = collect(first);
    try {
      if (failure == null) {
        write(entries);
      }
    } catch (CaseMovedException e) {
      fail(entries, e); // the node continues with the slots that it still owns
    } catch (StoreException e) {
      failure = e;
    } catch (RuntimeException | Error e) {
      failure = new StoreException("the store's writer failed: " + e, e);
    }
    if (failure != null) {
      fail(entries, failure);
    }
    return true;
  }

  private static void fail(List<Entry> entries, StoreException why) {
    entries.forEach(entry -> entry.done.completeExceptionally(why));
  }

  /// Takes what waits, up to the size of a transaction. Removals come last in one.
  private List<Entry> collect(List<Entry> first) {
    List<Entry> entries = new ArrayList<>();
    int cases = 0;
    boolean hasRemovals = false;
    for (List<Entry> next = first; next != null; next = queue.poll()) {
      if (next.isEmpty()) {
        left = next;
      }
      for (int i = 0; i < next.size() && left == null; i++) {
        CommitBatch batch = next.get(i).batch;
        if (cases >= CASES_MAX || (hasRemovals && !batch.cases().isEmpty())) {
          left = next.subList(i, next.size());
        } else {
          entries.add(next.get(i));
          cases += batch.cases().size() + batch.removals().size();
          hasRemovals |= !batch.removals().isEmpty();
        }
      }
      if (left != null) {
        break;
      }
    }
    return entries;
  }

  /// Writes batches until they are durable. Throws [StoreException] if they never will be.
  private void write(List<Entry> given) throws InterruptedException {
    List<Entry> entries = new ArrayList<>(given);
    CommitId id = node.nextCommit();
    long pause = PAUSE_MIN_MILLIS;
    while (!entries.isEmpty()) {
      NodeState state = node.state();
      refuseForeign(entries, state);
      RowChanges rows = new RowChanges(id);
      try {
        for (Entry entry : entries) {
          rows.add(entry.batch, isShared ? RowChanges.ANY : epoch);
        }
      } catch (RowWriter.StaleRevision e) {
        refuseStale(entries, e);
        continue;
      }
      CommitOutcome outcome = rows.isEmpty() ? new CommitOutcome.Done() : attempt(rows, state);
      switch (outcome) {
        case CommitOutcome.Done() -> {
          entries.forEach(entry -> entry.done.complete(null));
          return;
        }
        case CommitOutcome.InDoubt(var error) -> {
          log(error);
          if (settle(rows) == DoubtVerdict.ACKNOWLEDGE) {
            entries.forEach(entry -> entry.done.complete(null));
            return;
          }
        }
        case CommitOutcome.Refused() -> settle(rows);
        case CommitOutcome.Failed(var error, var isTransient) -> {
          if (error instanceof RowWriter.StaleRevision stale) {
            refuseStale(entries, stale);
          } else if (!isTransient) {
            throw PostgresErrors.failure("schema " + sql.schema() + ": cannot write", error);
          } else {
            log(error);
            pause(pause);
            pause = Math.min(2 * pause, PAUSE_MAX_MILLIS);
          }
        }
      }
    }
  }

  /// Refuses the batches with cases of slots that the node does not own. Slots leave a node only
  /// together with a new epoch, so a transaction that passes the fence with the epoch of this state
  /// owns what the state shows.
  private void refuseForeign(List<Entry> entries, NodeState state) {
    if (!isShared) {
      return;
    }
    entries.removeIf(entry -> {
      CommitBatch batch = entry.batch;
      boolean isOwn =
          batch.cases().stream().allMatch(each -> owns(state, each.record().caseId()))
              && batch.removals().stream().allMatch(each -> owns(state, each))
              && batch.applied().stream().allMatch(each -> owns(state, each.caseId()));
      if (!isOwn) {
        entry.done.completeExceptionally(moved());
      }
      return !isOwn;
    });
  }

  private static boolean owns(NodeState state, String caseId) {
    return state.slots().get(Slots.of(caseId));
  }

  private CaseMovedException moved() {
    return new CaseMovedException(
        "node %d does not own the case any more: another node has it".formatted(node.id()));
  }

  /// Refuses the batches with cases whose stored revision is not the one before: these cases must
  /// be read again. The other batches are written without them.
  private void refuseStale(List<Entry> entries, RowWriter.StaleRevision stale) {
    if (!isShared) {
      throw stale.sentence();
    }
    List<Entry> refused = entries.stream().filter(each -> refuse(each, stale)).toList();
    if (refused.isEmpty()) {
      throw stale.sentence();
    }
    entries.removeAll(refused);
  }

  private static boolean refuse(Entry entry, RowWriter.StaleRevision stale) {
    for (CaseCommit each : entry.batch.cases()) {
      String sentence = stale.sentence(each.record().caseId());
      if (sentence != null) {
        entry.done.completeExceptionally(new CaseMovedException(sentence));
        return true;
      }
    }
    return false;
  }

  private CommitOutcome attempt(RowChanges rows, NodeState state) {
    Connection connection;
    try {
      connection = reserved.get();
    } catch (SQLException e) {
      return new CommitOutcome.Failed(e, true); // nothing was sent
    }
    CommitOutcome outcome =
        node.commit(
            connection,
            rows.id,
            state.epoch(),
            c -> {
              writer.write(c, rows);
              return rows;
            });
    if (!(outcome instanceof CommitOutcome.Done)) {
      reserved.discard();
    }
    return outcome;
  }

  /// Returns the rows of a batch that is its own transaction. Throws [CaseMovedException] if the
  /// node does not own its cases.
  RowChanges rowsOf(CommitBatch batch, NodeState state) {
    List<Entry> alone = new ArrayList<>(List.of(new Entry(batch)));
    refuseForeign(alone, state);
    if (alone.isEmpty()) {
      throw moved();
    }
    RowChanges rows = new RowChanges(node.nextCommit());
    try {
      rows.add(batch, isShared ? RowChanges.ANY : epoch);
    } catch (RowWriter.StaleRevision e) {
      throw stale(e);
    }
    return rows;
  }

  /// Returns what a stale revision means: the case was written by another node.
  StoreException stale(RowWriter.StaleRevision stale) {
    return isShared
        ? new CaseMovedException(String.valueOf(stale.sentence().getMessage()))
        : stale.sentence();
  }

  /// Finds out whether a commit has happened. Throws [StoreException] if the node was fenced and it
  /// has not.
  DoubtVerdict settle(RowChanges rows) throws InterruptedException {
    return settle(rows.id, c -> stored(c, rows.id));
  }

  /// Does the same, with another way to determine whether the commit has happened.
  DoubtVerdict settle(CommitId id, FencedCommit.SqlFunction<Set<CommitId>> reader)
      throws InterruptedException {
    long pause = PAUSE_MIN_MILLIS;
    while (true) {
      try {
        PostgresNode.Settled settled = node.settle(Set.of(id), reader);
        DoubtVerdict verdict = DoubtVerdict.of(id, settled.isFenced(), settled.stored());
        if (verdict == DoubtVerdict.FORWARD) {
          throw isShared
              ? moved()
              : new StoreException(
                  "node %d was fenced: another node has taken over; open the store again"
                      .formatted(node.id()));
        }
        return verdict;
      } catch (SQLException e) {
        log(e);
        pause(pause);
        pause = Math.min(2 * pause, PAUSE_MAX_MILLIS);
      }
    }
  }

  private Set<CommitId> stored(Connection connection, CommitId id) throws SQLException {
    return node.hasCommitted(connection, id) ? Set.of(id) : Set.of();
  }

  private void log(SQLException e) {
    System.getLogger(CommitQueue.class.getName())
        .log(
            System.Logger.Level.WARNING,
            "schema " + sql.schema() + ": cannot be written at the moment, trying again: " + e);
  }

  /// Gives up what cannot be written within a time: the engine closes.
  void hurry(Duration time) {
    giveUpNanos = System.nanoTime() + time.toNanos();
    isHurried = true;
  }

  /// Waits before the next attempt. Throws [StoreException] if the store is being closed.
  private void pause(long millis) throws InterruptedException {
    boolean isOver = isHurried && System.nanoTime() - giveUpNanos >= 0;
    if (closing.await(millis, TimeUnit.MILLISECONDS) || isOver) {
      throw new StoreException("the store was closed while the database was away");
    }
  }

  /// Stops accepting batches. The writer's thread proceeds to the last entry. Returns false if it
  /// was closed before.
  boolean close() {
    door.writeLock().lock();
    try {
      if (isClosed) {
        return false;
      }
      isClosed = true;
      closing.countDown();
      put(List.of());
      return true;
    } finally {
      door.writeLock().unlock();
    }
  }
}
