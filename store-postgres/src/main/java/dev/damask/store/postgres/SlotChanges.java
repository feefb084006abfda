package dev.damask.store.postgres;

import dev.damask.cluster.SlotOwner;
import dev.damask.cluster.Slots;
import dev.damask.sql.NodePoll;
import dev.damask.sql.ThreadFailures;
import dev.damask.store.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// The thread of a node that changes who owns what: it takes over from dead nodes, hands slots over
/// to new ones and notifies the engine. It may wait for locks and for the engine's batches, while
/// [NodeLoop] keeps the node alive.
final class SlotChanges {
  private static final System.Logger LOG = System.getLogger(SlotChanges.class.getName());
  private static final long RETRY_MILLIS = 100;
  private static final long FORGET_NANOS = TimeUnit.HOURS.toNanos(1);

  private final PostgresNode node;
  private final SuspectBatches suspects;
  private final Semaphore news = new Semaphore(0); // released when there is something to do

  // Guarded by this; written by the thread that polls.
  private final Map<Integer, Long> dead = new TreeMap<>();
  private boolean hasOrphans;
  private boolean isUnbalanced = true; // a node that joins may have to take or give

  private volatile boolean isRetired; // written by the engine's thread
  private volatile boolean isLeaving; // as above
  private final CountDownLatch left = new CountDownLatch(1);

  // Used by this thread.
  private final ThreadFailures failures;
  private BitSet told = new BitSet(); // what the engine knows
  private BitSet unsure = new BitSet(); // what of it the engine failed to take up
  private boolean isUnfinished; // the last change failed
  private long forgottenNanos = System.nanoTime(); // when old nodes were removed last

  /// @param suspects learns of the slots before the engine does
  SlotChanges(PostgresNode node, SuspectBatches suspects) {
    this.node = node;
    this.suspects = suspects;
    this.failures = new ThreadFailures("the change of slots of node " + node.id());
  }

  /// Notes what a poll has found.
  synchronized void found(NodePoll poll) {
    dead.clear();
    dead.putAll(poll.dead());
    hasOrphans = poll.hasOrphans();
    isUnbalanced |= poll.hasNewSlots();
    if (!dead.isEmpty() || hasOrphans || isUnbalanced || poll.isFenced()) {
      news.release();
    }
  }

  /// Gives all slots to other nodes. Returns when the thread that changes ownership has done it, or
  /// after a time.
  void leave(Duration most) throws InterruptedException {
    isLeaving = true;
    news.release();
    boolean _ = left.await(most.toMillis(), TimeUnit.MILLISECONDS);
  }

  /// Marks the node as leaving, so that no node hands it slots, and hands everything over.
  private void giveAll(SlotOwner owner) throws SQLException, InterruptedException {
    if (node.markLeaving()) {
      BitSet all = new BitSet(Slots.COUNT);
      all.set(0, Slots.COUNT);
      handOver(owner, all);
    }
    left.countDown();
  }

  /// Changes no slots any more.
  void retire() {
    isRetired = true;
    news.release();
  }

  /// Changes slots until it is retired or the node is fenced.
  void run(SlotOwner owner) throws InterruptedException {
    while (!isRetired && !node.isFenced()) {
      try {
        turn(owner);
        forgetFenced();
      } catch (RuntimeException | Error e) { // the slots would stay without an owner
        failures.report(e);
        isUnfinished = true;
        news.tryAcquire(RETRY_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
    left.countDown();
    if (!isRetired) {
      told = new BitSet();
      unsure = new BitSet();
      owner.fenced();
    }
  }

  private void turn(SlotOwner owner) throws InterruptedException {
    tell(owner);
    if (news.tryAcquire(RETRY_MILLIS, TimeUnit.MILLISECONDS) || isUnfinished) {
      news.drainPermits();
      isUnfinished = true;
      try {
        change(owner);
        isUnfinished = false;
      } catch (SQLException | StoreException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "node {0}: ownership cannot be changed at the moment: {1}",
            node.id(),
            e);
      }
    }
  }

  private void forgetFenced() {
    long now = System.nanoTime();
    if (now - forgottenNanos >= FORGET_NANOS) {
      forgottenNanos = now;
      try {
        node.forgetFenced();
      } catch (SQLException | StoreException e) {
        LOG.log(System.Logger.Level.DEBUG, "fenced nodes are forgotten later", e);
      }
    }
  }

  private void change(SlotOwner owner) throws SQLException, InterruptedException {
    Map<Integer, Long> gone;
    boolean adopts;
    boolean gives;
    synchronized (this) {
      gone = new TreeMap<>(dead);
      adopts = hasOrphans;
      gives = isUnbalanced;
      isUnbalanced = false;
    }
    boolean isDone = false;
    try {
      if (isLeaving) {
        if (left.getCount() > 0) {
          giveAll(owner);
        }
        isDone = true;
        return;
      }
      for (Map.Entry<Integer, Long> each : gone.entrySet()) {
        if (node.takeOver(each.getKey(), each.getValue())) {
          LOG.log(
              System.Logger.Level.WARNING,
              "node {0} is dead; node {1} has taken over",
              each.getKey(),
              node.id());
        }
      }
      if (adopts) {
        node.adopt();
      }
      tell(owner);
      BitSet surplus = gives ? node.surplus() : new BitSet();
      if (!surplus.isEmpty()) {
        handOver(owner, surplus);
      }
      isDone = true;
    } finally {
      if (!isDone) {
        synchronized (this) {
          isUnbalanced |= gives;
        }
      }
    }
  }

  /// Hands slots over, and takes back those that stay after all. A handoff in doubt is repeated:
  /// the next one waits for its lock.
  private void handOver(SlotOwner owner, BitSet surplus) throws InterruptedException {
    owner.release(surplus);
    told.andNot(surplus);
    while (!node.isFenced() && !isRetired) {
      try {
        node.handOver(surplus);
        return;
      } catch (SQLException | StoreException e) {
        LOG.log(System.Logger.Level.WARNING, "node {0}: handoff failed: {1}", node.id(), e);
        news.tryAcquire(RETRY_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  /// Tells the engine which slots the node has now.
  private void tell(SlotOwner owner) throws InterruptedException {
    if (node.isFenced()) {
      return;
    }
    BitSet now = (BitSet) node.state().slots().clone();
    BitSet lost = (BitSet) told.clone();
    lost.andNot(now);
    if (!lost.isEmpty()) {
      owner.release(lost);
    }
    BitSet gained = (BitSet) now.clone();
    gained.andNot(told);
    unsure.and(now);
    gained.or(unsure);
    if (!gained.isEmpty()) {
      try {
        suspects.report(owner);
      } catch (SQLException | StoreException e) {
        LOG.log(System.Logger.Level.WARNING, "node {0}: slots are taken later: {1}", node.id(), e);
        told.and(now);
        return; // the engine must not move cases that may kill it
      }
    }
    told = now;
    if (!gained.isEmpty()) {
      unsure = gained;
      owner.acquired(gained);
      unsure = new BitSet();
    }
  }
}
