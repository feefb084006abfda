package dev.damask.cases;

import dev.damask.history.CommitTime;
import dev.damask.history.Trimming;
import dev.damask.intake.JfrEvents;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseMovedException;
import dev.damask.store.CommitBatch;
import dev.damask.store.StoreException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/// The batches of a shard that the store has and that are not durable yet, in order. It belongs to
/// the thread that holds the lock of its shard.
final class BatchesInFlight {
  private final Shard shard;
  private final ArrayDeque<Batch> batches = new ArrayDeque<>();

  BatchesInFlight(Shard shard) {
    this.shard = shard;
  }

  /// The terms of a commit that joins the next batch.
  CommitTime commitAt(long now) {
    Trimming trimming = new Trimming(shard.options.history(), shard.store);
    return new CommitTime(shard.store.epoch(), now, trimming, shard.options.journal());
  }

  boolean isEmpty() {
    return batches.isEmpty();
  }

  int size() {
    return batches.size();
  }

  boolean isRemoving(String caseId) {
    return batches.stream().anyMatch(each -> each.removals.contains(caseId));
  }

  /// Tells what a batch without commits has to tell after the last batch is durable.
  void tellAfterLast(Batch empty) {
    Batch last = batches.peekLast();
    if (last != null) {
      last.telling.append(empty.telling);
    } else {
      publish(empty);
    }
  }

  void submit(Batch current) {
    current.submittedNanos = System.nanoTime();
    current.flight = new JfrEvents.Commit();
    current.flight.begin();
    CommitBatch written =
        new CommitBatch(
            current.commits, List.of(), current.removals, current.rows, current.applied);
    current.durable =
        isAlone(current) ? shard.store.commitHere(written) : shard.store.commit(written);
    batches.addLast(current);
    if (current.durable.isDone()) {
      releaseDurable();
    } else {
      var _ = current.durable.whenComplete((_, _) -> shard.inbox.wake());
    }
  }

  void releaseDurable() {
    while (!batches.isEmpty() && batches.peekFirst().durable.isDone()) {
      Batch done = batches.peekFirst();
      try {
        done.durable.join();
      } catch (CompletionException e) {
        if (shard.engine.ownership.isShared() && e.getCause() instanceof CaseMovedException moved) {
          refuse(batches.removeFirst(), moved);
          continue;
        }
        throw e.getCause() instanceof StoreException failure
            ? failure
            : new StoreException("the store failed: " + e.getCause(), e);
      }
      batches.removeFirst();
      for (CaseCommit commit : done.commits) {
        shard.timers.set(commit.record().caseId(), commit.record().dueMillis());
      }
      publish(done);
      done.cases.forEach(shard.live::settled);
    }
  }

  /// The cases of a batch have moved to another node, or were written by one: nothing of it was
  /// stored.
  private void refuse(Batch lost, CaseMovedException moved) {
    shard.publishing.addCompletion(() -> lost.refuse(moved));
    lost.cases.forEach(each -> ShardRestart.drop(shard, each));
  }

  /// Whether the shard has nothing to do while this thread waits for the disk. Several cases in one
  /// batch mean that more are coming: then rounds and syncs overlap.
  private boolean isAlone(Batch current) {
    return batches.isEmpty()
        && current.commits.size() + current.removals.size() == 1
        && shard.isAlone()
        && !Thread.currentThread().isVirtual();
  }

  private void publish(Batch done) {
    shard.outlet.settle(done);
    shard.publishing.add(
        new PublishQueue.Entry() {
          @Override
          public void publish() {
            shard.outlet.publish(done);
          }

          @Override
          public void refuse(RuntimeException why) {
            done.refuse(why);
          }
        });
  }

  void awaitAll() throws InterruptedException {
    while (!batches.isEmpty()) {
      shard.inbox.await(false, TimeUnit.SECONDS.toNanos(1));
      releaseDurable();
    }
  }

  void refuse(RuntimeException why) {
    batches.forEach(each -> each.refuse(why));
  }
}
