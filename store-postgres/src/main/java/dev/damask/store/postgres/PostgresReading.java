package dev.damask.store.postgres;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.program.ProgramHash;
import dev.damask.store.AuditEntry;
import dev.damask.store.AuditRecord;
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
  public List<byte[]> trace(String caseId, long from) {
    requireOpen();
    return reads().trace(caseId, from);
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
  public List<String> ids(String prefix, String after, int limit) {
    requireOpen();
    return reads().ids(prefix, after, limit);
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

  /// Returns the transaction and the number of a cursor. Transactions become visible in another
  /// order than their rows are numbered, so readers wait until every older transaction has ended.
  static String[] cursor(String after, String what) {
    String[] parts = after.isEmpty() ? new String[] {"0", "0"} : after.split(" ", 2);
    if (parts.length != 2 || !parts[0].matches("[0-9]{1,19}") || !parts[1].matches("[0-9]{1,18}")) {
      throw new IllegalArgumentException("not a cursor of " + what + ": '" + after + "'");
    }
    return parts;
  }

  @Override
  public List<AuditRecord> audit(String after, int limit) {
    String[] parts = cursor(after, "the audit log");
    requireOpen();
    return reads()
        .query(
            "select a.xid::text, a.number, a.at, a.actor, a.action, a.case_id, a.subject,"
                + " a.outcome, a.reason from @.audit a where (a.xid, a.number) > (?::xid8, ?) and"
                + " a.xid < pg_snapshot_xmin(pg_current_snapshot()) order by a.xid, a.number limit"
                + " ?",
            row ->
                new AuditRecord(
                    row.getString(1) + " " + row.getLong(2),
                    new AuditEntry(
                        row.getLong(3),
                        row.getString(4),
                        row.getString(5),
                        row.getString(6),
                        row.getString(7),
                        row.getString(8),
                        row.getString(9))),
            parts[0],
            Long.parseLong(parts[1]),
            limit);
  }

  @Override
  public int trimAudit(long beforeMillis, int limit) {
    requireOpen();
    return reads()
        .query(
            "with old as (select a.xid, a.number from @.audit a where a.at < ?"
                + " order by a.xid, a.number limit ?) delete from @.audit a using old"
                + " where a.xid = old.xid and a.number = old.number returning 1",
            _ -> true,
            beforeMillis,
            limit)
        .size();
  }

  @Override
  public List<EndedCase> ended(String after, int limit) {
    String[] parts = cursor(after, "ended cases");
    requireOpen();
    return reads()
        .query(
            "select e.xid::text, e.number, e.case_id from @.ended e"
                + " where (e.xid, e.number) > (?::xid8, ?)"
                + " and e.xid < pg_snapshot_xmin(pg_current_snapshot())"
                + " order by e.xid, e.number limit ?",
            row -> new EndedCase(row.getString(1) + " " + row.getLong(2), row.getString(3)),
            parts[0],
            Long.parseLong(parts[1]),
            limit);
  }
}
