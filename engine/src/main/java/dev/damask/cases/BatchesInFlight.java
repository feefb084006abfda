package dev.damask.cases;

import dev.damask.effect.EffectTransaction;
import dev.damask.history.CommitTime;
import dev.damask.history.Trimming;
import dev.damask.intake.JfrEvents;
import dev.damask.intake.PublishQueue;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseMovedException;
import dev.damask.store.CommitBatch;
import dev.damask.store.JoinOutcome;
import dev.damask.store.StoreException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

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

  /// Publishes what a batch without commits contains, after the last batch is durable.
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
    CommitBatch written = written(current);
    current.durable =
        isAlone(current) ? shard.store.commitHere(written) : shard.store.commit(written);
    batches.addLast(current);
    if (current.durable.isDone()) {
      releaseDurable();
    } else {
      var _ = current.durable.whenComplete((_, _) -> shard.inbox.wake());
    }
  }

  private static CommitBatch written(Batch current) {
    return new CommitBatch(
        current.commits,
        List.of(),
        current.removals,
        List.copyOf(current.rows),
        current.applied,
        current.audit);
  }

  /// Commits a batch of one case as the last statements of a handler's transaction. Nothing else is
  /// in flight. Returns null if the case has moved to another node.
  @Nullable JoinOutcome join(Batch current, EffectTransaction transaction) {
    current.submittedNanos = System.nanoTime();
    current.flight = new JfrEvents.Commit();
    current.flight.begin();
    JoinOutcome outcome;
    try {
      outcome = shard.store.commit(written(current), transaction);
    } catch (CaseMovedException e) {
      refuse(current, e);
      return null;
    }
    if (outcome instanceof JoinOutcome.Done) {
      batches.addLast(current);
      releaseDurable();
    }
    return outcome;
  }

  /// Waits until nothing is in flight, whatever became of it.
  void awaitHere() {
    for (Batch each : batches) {
      var _ = each.durable.handle((_, _) -> true).join();
    }
    releaseDurable();
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
    shard.publisher.settle(done);
    shard.publishing.add(
        new PublishQueue.Entry() {
          @Override
          public void publish() {
            shard.publisher.publish(done);
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
