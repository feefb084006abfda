package dev.damask.simulation;

import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.StoreException;
import dev.damask.testkit.ForwardingStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// A disk that takes time, loses what was not synced, tears what it was writing, fails and fills
/// up. What it has kept is in a [MemoryStore]; whatever is lost never got there.
final class SimulatedStore extends ForwardingStore {
  /// A batch that was handed over and is not synced yet.
  private record Unsynced(CommitBatch batch, CompletableFuture<Void> done) {}

  private final MemoryStore disk;
  private final Simulation simulation;
  private final ArrayDeque<Unsynced> unsynced = new ArrayDeque<>();
  private boolean isDead;

  SimulatedStore(MemoryStore disk, Simulation simulation) {
    super(disk);
    this.disk = disk;
    this.simulation = simulation;
  }

  @Override
  public CompletableFuture<Void> commit(CommitBatch batch) {
    if (isDead) {
      return new CompletableFuture<>(); // it never completes
    }
    if (batch.cases().isEmpty() && batch.removals().isEmpty() && batch.rows().isEmpty()) {
      return disk.commit(batch); // programs, when an engine opens
    }
    Unsynced written = new Unsynced(batch, new CompletableFuture<>());
    unsynced.addLast(written);
    simulation.pass(CrashPoint.HANDED_OVER);
    simulation.planSync(this::syncFirst);
    return written.done;
  }

  /// The writer has nothing else to write: the batch may be on the disk when this returns.
  @Override
  public CompletableFuture<Void> commitHere(CommitBatch batch) {
    CompletableFuture<Void> done = commit(batch);
    if (unsynced.size() == 1 && simulation.writesInline()) {
      simulation.count(CoveragePoint.BATCH_WRITTEN_INLINE);
      syncFirst();
    }
    return done;
  }

  /// The oldest batch reaches the disk.
  private void syncFirst() {
    if (isDead || unsynced.isEmpty()) {
      return;
    }
    Unsynced first = unsynced.removeFirst();
    if (simulation.diskFails()) {
      simulation.count(CoveragePoint.DISK_FAILED);
      unsynced.addFirst(first); // it may or may not be there after the crash that follows
      first.done.completeExceptionally(new StoreException("the simulated disk failed"));
      return;
    }
    apply(first.batch);
    simulation.pass(CrashPoint.SYNCED);
    first.done.complete(null);
  }

  private void apply(CommitBatch batch) {
    simulation.invariants.check(disk, batch);
    if (batch.removals().isEmpty()) {
      disk.commit(batch).join();
      return;
    }
    batch.removals().forEach(simulation::removing);
    var untouched = simulation.invariants.allBut(changed(batch));
    disk.commit(batch).join();
    simulation.invariants.removed(untouched);
  }

  private static List<String> changed(CommitBatch batch) {
    List<String> changed = new ArrayList<>(batch.removals());
    batch.cases().forEach(commit -> changed.add(commit.record().caseId()));
    return changed;
  }

  /// What a dead process had handed over comes to the disk after the next one has opened.
  private void writeLate(CommitBatch batch) {
    try {
      disk.commit(batch).join();
    } catch (CompletionException e) {
      simulation.count(CoveragePoint.ZOMBIE_WRITE_REFUSED);
      return;
    }
    throw new InvariantViolation(
        "I9", "a batch of an engine that no longer owns the store was accepted");
  }

  /// The process dies: of what was not synced a part survives, in order.
  void crash() {
    isDead = true;
    if (!unsynced.isEmpty()) {
      simulation.count(CoveragePoint.CRASH_WITH_UNSYNCED_BATCH);
    }
    while (!unsynced.isEmpty() && simulation.survives()) {
      simulation.count(CoveragePoint.UNSYNCED_BATCH_SURVIVED);
      apply(unsynced.removeFirst().batch);
    }
    Unsynced torn = unsynced.peekFirst();
    boolean isDivisible =
        torn != null && torn.batch.cases().size() > 1 && torn.batch.rows().isEmpty();
    if (isDivisible && simulation.tears()) {
      simulation.count(CoveragePoint.TORN_BATCH);
      int kept = 1 + simulation.below(torn.batch.cases().size() - 1);
      apply(new CommitBatch(torn.batch.cases().subList(0, kept)));
    }
    for (Unsynced late : unsynced) {
      if (!late.batch.cases().isEmpty() && simulation.isLate()) {
        long after = simulation.below(8_000);
        simulation.later(after, 0, "late write", () -> writeLate(late.batch));
      }
    }
    unsynced.clear();
  }

  /// The process is dead, although its code still runs for a moment.
  void die() {
    isDead = true;
  }

  @Override
  public void moving(int shard, String caseId) {
    if (!isDead) {
      super.moving(shard, caseId);
    }
  }

  @Override
  public boolean hasRoom() {
    return !simulation.diskIsFull();
  }
}
