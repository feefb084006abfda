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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
    return batches.stream().anyMatch(each -> each.isRemoving(caseId));
  }

  /// Publishes what a batch without commits contains, after the last batch is durable.
  void tellAfterLast(Batch empty) {
    Batch last = batches.peekLast();
    if (last != null) {
      last.tellAlso(empty);
    } else {
      publish(Batch.of(empty.parts()));
    }
  }

  void submit(Batch current) {
    current.submittedNanos = System.nanoTime();
    current.flight = new JfrEvents.Commit();
    current.flight.begin();
    if (isShared()) {
      submitParts(current);
    } else {
      CommitBatch written = current.written();
      current.durable =
          isAlone(current) ? shard.store.commitHere(written) : shard.store.commit(written);
    }
    batches.addLast(current);
    if (current.durable.isDone()) {
      releaseDurable();
    } else {
      var _ = current.durable.whenComplete((_, _) -> shard.inbox.wake());
    }
  }

  private boolean isShared() {
    return shard.engine.ownership.isShared();
  }

  /// Hands the parts over together; the store may refuse single ones. Removals come last, because
  /// nothing may follow them in one transaction.
  private void submitParts(Batch current) {
    List<Batch> parts =
        current.parts().stream()
            .filter(Batch::hasOwn)
            .sorted(Comparator.comparing(each -> !each.removals.isEmpty()))
            .toList();
    List<CompletableFuture<Void>> stored =
        shard.store.commitAll(parts.stream().map(Batch::written).toList());
    for (int i = 0; i < parts.size(); i++) {
      parts.get(i).stored = stored.get(i);
    }
    current.durable = CompletableFuture.allOf(stored.toArray(CompletableFuture<?>[]::new));
  }

  /// Commits a batch of one case as the last statements of a handler's transaction. Nothing else is
  /// in flight. Returns null if the case has moved to another node.
  @Nullable JoinOutcome join(Batch current, EffectTransaction transaction) {
    current.submittedNanos = System.nanoTime();
    current.flight = new JfrEvents.Commit();
    current.flight.begin();
    JoinOutcome outcome;
    try {
      outcome = shard.store.commit(current.written(), transaction);
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
      Batch done = isShared() ? withoutMoved(batches.peekFirst()) : batches.peekFirst();
      requireStored(done.durable);
      batches.removeFirst();
      for (CaseCommit commit : done.commits) {
        shard.timers.set(commit.record().caseId(), commit.record().dueMillis());
      }
      publish(done);
      done.cases.forEach(shard.live::settled);
    }
  }

  private static void requireStored(CompletableFuture<Void> durable) {
    try {
      durable.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException failure
          ? failure
          : new StoreException("the store failed: " + e.getCause(), e);
    }
  }

  /// Returns a batch of the parts that are stored. The others are refused: their cases have moved
  /// to another node, or were written by one.
  private Batch withoutMoved(Batch done) {
    List<Batch> stored = new ArrayList<>();
    for (Batch part : done.parts()) {
      CaseMovedException moved = part.lost != null ? part.lost : movedOf(part.stored);
      if (moved == null) {
        requireStored(part.stored);
        stored.add(part);
      } else {
        refuse(part, moved);
      }
    }
    Batch left = Batch.of(stored);
    left.flight = done.flight;
    left.submittedNanos = done.submittedNanos;
    return left;
  }

  private static @Nullable CaseMovedException movedOf(CompletableFuture<Void> stored) {
    return stored.isCompletedExceptionally()
            && stored.exceptionNow() instanceof CaseMovedException moved
        ? moved
        : null;
  }

  /// Nothing of a part was stored. What follows it in later batches is lost with it.
  private void refuse(Batch part, CaseMovedException moved) {
    shard.publishing.addCompletion(() -> part.refuseOwn(moved));
    for (LiveCase each : part.cases) {
      for (Batch later : batches) {
        Batch next = later.part(each.id);
        if (next != null && next != part) {
          next.lost = moved;
        }
      }
      ShardRestart.drop(shard, each);
    }
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
