package dev.damask.store.postgres;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.program.ProgramHash;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoredProgram;
import dev.damask.store.Table;
import dev.damask.value.Sum;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The part of a store in PostgreSQL that only reads.
abstract class PostgresReading implements Store {
  /// Returns where to read.
  abstract PostgresReads reads();

  /// Throws [StoreException] if the store is closed.
  abstract void requireOpen();

  @Override
  public Optional<LoadedCase> load(String caseId) {
    requireOpen();
    return reads().load(caseId);
  }

  @Override
  public Optional<CaseRecord> record(String caseId) {
    requireOpen();
    return reads().record(caseId);
  }

  @Override
  public List<EffectIntent> intents(String caseId) {
    return load(caseId).map(LoadedCase::intents).orElse(List.of());
  }

  @Override
  public List<Receipt> receipts(String caseId) {
    requireOpen();
    return reads().receipts(caseId);
  }

  @Override
  public Optional<KeyedReceipt> receiptByKey(String type, String key) {
    requireOpen();
    return reads().receiptByKey(type, key);
  }

  @Override
  public OptionalInt consumed(String caseId, String messageId) {
    requireOpen();
    return reads().consumed(caseId, messageId);
  }

  @Override
  public List<byte[]> trace(String caseId) {
    requireOpen();
    return reads().trace(caseId);
  }

  @Override
  public List<RevisionInputs> journal(String caseId, long from, long to) {
    requireOpen();
    return reads().journal(caseId, from, to);
  }

  @Override
  public List<RevisionRecord> states(String caseId, long from, long to) {
    requireOpen();
    return reads().states(caseId, from, to);
  }

  @Override
  public byte @Nullable [] value(String caseId, Sum hash) {
    requireOpen();
    return reads().value(caseId, hash);
  }

  @Override
  public List<DueCase> due(DueCase after, int limit) {
    requireOpen();
    return reads().due(after, limit);
  }

  @Override
  public void scanActive(Consumer<String> action) {
    requireOpen();
    reads().active().forEach(action);
  }

  @Override
  public List<String> ids(String prefix) {
    requireOpen();
    return reads().ids(prefix);
  }

  @Override
  public List<EndedCase> ended(String after, int limit) {
    requireOpen();
    return reads().ended(after, limit);
  }

  @Override
  public CasePage list(CaseQuery query) {
    requireOpen();
    return reads().list(query);
  }

  @Override
  public Table table() {
    requireOpen();
    return new PostgresTable(reads());
  }

  @Override
  public Optional<StoredProgram> program(ProgramHash hash) {
    requireOpen();
    return reads().program(hash);
  }

  @Override
  public List<StoredProgram> programs() {
    requireOpen();
    return reads().programs();
  }

  /// Returns true: a database that is full makes commits wait until it has room.
  @Override
  public boolean hasRoom() {
    return true;
  }

  @Override
  public List<String> verify() {
    requireOpen();
    return new PostgresVerification(reads()).run();
  }

  @Override
  public void backup(Path folder, Backup files) {
    throw new StoreException(
        "backup to "
            + folder
            + ": the store is in PostgreSQL; back the database up with pg_dump"
            + " or your server's own tools");
  }
}
