package dev.damask.simulation;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.program.ProgramHash;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.StoreFailure;
import dev.damask.store.StoredProgram;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// A disk that takes time, loses what was not synced, tears what it was writing, fails and fills
/// up. What it has kept is in a [MemoryStore]; whatever is lost never got there.
final class SimulatedStore implements Store {
  /// A batch that was handed over and is not synced yet.
  private record Unsynced(CommitBatch batch, CompletableFuture<Void> done) {}

  private final MemoryStore disk;
  private final Simulation simulation;
  private final ArrayDeque<Unsynced> unsynced = new ArrayDeque<>();
  private boolean isDead;

  SimulatedStore(MemoryStore disk, Simulation simulation) {
    this.disk = disk;
    this.simulation = simulation;
  }

  @Override
  public CompletableFuture<Void> commit(CommitBatch batch) {
    if (isDead) {
      return new CompletableFuture<>(); // nobody will ever hear of it
    }
    if (batch.cases().isEmpty() && batch.removals().isEmpty()) {
      return disk.commit(batch); // programs, when an engine opens
    }
    Unsynced written = new Unsynced(batch, new CompletableFuture<>());
    unsynced.addLast(written);
    simulation.pass(Moment.HANDED_OVER);
    simulation.planSync(this::syncFirst);
    return written.done;
  }

  /// The oldest batch reaches the disk.
  private void syncFirst() {
    if (isDead || unsynced.isEmpty()) {
      return;
    }
    Unsynced first = unsynced.removeFirst();
    if (simulation.diskFails()) {
      simulation.count(Situation.DISK_FAILED);
      unsynced.addFirst(first); // it may or may not be there after the crash that follows
      first.done.completeExceptionally(new StoreFailure("the simulated disk failed"));
      return;
    }
    apply(first.batch);
    simulation.pass(Moment.SYNCED);
    first.done.complete(null);
  }

  private void apply(CommitBatch batch) {
    simulation.invariants.check(disk, batch);
    disk.commit(batch).join();
  }

  /// The process dies: of what was not synced a part survives, in order.
  void crash() {
    isDead = true;
    if (!unsynced.isEmpty()) {
      simulation.count(Situation.CRASH_WITH_UNSYNCED_BATCH);
    }
    while (!unsynced.isEmpty() && simulation.survives()) {
      simulation.count(Situation.UNSYNCED_BATCH_SURVIVED);
      apply(unsynced.removeFirst().batch);
    }
    Unsynced torn = unsynced.peekFirst();
    if (torn != null && torn.batch.cases().size() > 1 && simulation.tears()) {
      simulation.count(Situation.TORN_BATCH);
      int kept = 1 + simulation.below(torn.batch.cases().size() - 1);
      apply(new CommitBatch(torn.batch.cases().subList(0, kept)));
    }
    unsynced.clear();
  }

  /// The process is dead, although its code runs on for a moment.
  void die() {
    isDead = true;
  }

  @Override
  public long epoch() {
    return disk.epoch();
  }

  @Override
  public Optional<CaseRecord> load(String caseId) {
    return disk.load(caseId);
  }

  @Override
  public List<EffectIntent> intents(String caseId) {
    return disk.intents(caseId);
  }

  @Override
  public List<Receipt> receipts(String caseId) {
    return disk.receipts(caseId);
  }

  @Override
  public Optional<KeyedReceipt> receiptByKey(String type, String key) {
    return disk.receiptByKey(type, key);
  }

  @Override
  public OptionalInt consumed(String caseId, String messageId) {
    return disk.consumed(caseId, messageId);
  }

  @Override
  public List<byte[]> trace(String caseId) {
    return disk.trace(caseId);
  }

  @Override
  public List<DueCase> due(DueCase after, int limit) {
    return disk.due(after, limit);
  }

  @Override
  public void scanActive(Consumer<String> action) {
    disk.scanActive(action);
  }

  @Override
  public CasePage list(CaseQuery query) {
    return disk.list(query);
  }

  @Override
  public Optional<StoredProgram> program(ProgramHash hash) {
    return disk.program(hash);
  }

  @Override
  public List<StoredProgram> programs() {
    return disk.programs();
  }

  @Override
  public void moving(int shard, String caseId) {
    if (!isDead) {
      disk.moving(shard, caseId);
    }
  }

  @Override
  public List<String> suspects() {
    return disk.suspects();
  }

  @Override
  public boolean hasRoom() {
    return !simulation.diskIsFull();
  }

  @Override
  public List<String> verify() {
    return disk.verify();
  }

  @Override
  public void backup(Path folder) {
    disk.backup(folder);
  }

  @Override
  public void close() {}
}
