package dev.damask.testkit;

import dev.damask.effect.Receipt;
import dev.damask.program.ProgramHash;
import dev.damask.store.AuditRecord;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import dev.damask.store.StoredProgram;
import dev.damask.store.Table;
import dev.damask.value.Sum;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A store that forwards every call to another store. Stores that inject faults extend it.
public abstract class ForwardingStore implements Store {
  private final Store store;

  protected ForwardingStore(Store store) {
    this.store = store;
  }

  @Override
  public CompletableFuture<Void> commit(CommitBatch batch) {
    return store.commit(batch);
  }

  @Override
  public List<AuditRecord> audit(String after, int limit) {
    return store.audit(after, limit);
  }

  @Override
  public long epoch() {
    return store.epoch();
  }

  @Override
  public Optional<LoadedCase> load(String caseId) {
    return store.load(caseId);
  }

  @Override
  public List<Receipt> receipts(String caseId) {
    return store.receipts(caseId);
  }

  @Override
  public Optional<KeyedReceipt> receiptByKey(String type, String key) {
    return store.receiptByKey(type, key);
  }

  @Override
  public OptionalInt consumed(String caseId, String messageId) {
    return store.consumed(caseId, messageId);
  }

  @Override
  public List<RevisionInputs> journal(String caseId, long from, long to) {
    return store.journal(caseId, from, to);
  }

  @Override
  public List<byte[]> trace(String caseId, long from) {
    return store.trace(caseId, from);
  }

  @Override
  public List<RevisionRecord> states(String caseId, long from, long to) {
    return store.states(caseId, from, to);
  }

  @Override
  public byte @Nullable [] value(String caseId, Sum hash) {
    return store.value(caseId, hash);
  }

  @Override
  public List<DueCase> due(DueCase after, int limit) {
    return store.due(after, limit);
  }

  @Override
  public void scanActive(Consumer<String> action) {
    store.scanActive(action);
  }

  @Override
  public List<String> ids(String prefix, String after, int limit) {
    return store.ids(prefix, after, limit);
  }

  @Override
  public List<EndedCase> ended(String after, int limit) {
    return store.ended(after, limit);
  }

  @Override
  public CasePage list(CaseQuery query) {
    return store.list(query);
  }

  @Override
  public Table table() {
    return store.table();
  }

  @Override
  public Optional<StoredProgram> program(ProgramHash hash) {
    return store.program(hash);
  }

  @Override
  public List<StoredProgram> programs() {
    return store.programs();
  }

  @Override
  public void moving(int shard, String caseId) {
    store.moving(shard, caseId);
  }

  @Override
  public List<String> suspects() {
    return store.suspects();
  }

  @Override
  public boolean hasRoom() {
    return store.hasRoom();
  }

  @Override
  public List<String> verify() {
    return store.verify();
  }

  @Override
  public void backup(Path folder, Backup files) {
    store.backup(folder, files);
  }

  @Override
  public void close() {
    store.close();
  }
}
