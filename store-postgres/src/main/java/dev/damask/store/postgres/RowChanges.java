package dev.damask.store.postgres;

import dev.damask.cluster.CommitId;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.sql.StoredBytes;
import dev.damask.store.AppliedMessage;
import dev.damask.store.AuditEntry;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.JournalPart;
import dev.damask.store.RowChange;
import dev.damask.store.StateChange;
import dev.damask.store.StoredProgram;
import dev.damask.store.TableRow;
import dev.damask.value.Sum;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The rows that one transaction writes, folded from the commits of one or more batches: each row
/// is written once. All maps are sorted by key, because two nodes that write rows in different
/// orders can deadlock.
final class RowChanges {
  /// Stands for any epoch: a node that hands slots over writes with several.
  static final long ANY = -1;

  /// The next record of a case.
  ///
  /// @param before the revision that must be stored; 0 if the case is new
  record Head(long before, CaseRecord record) {}

  /// The key of a row that belongs to a case.
  record PartKey(String caseId, long number) implements Comparable<PartKey> {
    @Override
    public int compareTo(PartKey other) {
      int byCase = caseId.compareTo(other.caseId);
      return byCase != 0 ? byCase : Long.compare(number, other.number);
    }
  }

  /// The key of a row with two texts.
  record TextKey(String first, String second) implements Comparable<TextKey> {
    @Override
    public int compareTo(TextKey other) {
      int byFirst = first.compareTo(other.first);
      return byFirst != 0 ? byFirst : second.compareTo(other.second);
    }
  }

  /// The key of a table row.
  record RowKey(String kind, String key, long version) implements Comparable<RowKey> {
    static RowKey of(TableRow row) {
      return new RowKey(row.kind(), row.key(), row.version());
    }

    @Override
    public int compareTo(RowKey other) {
      int byText = new TextKey(kind, key).compareTo(new TextKey(other.kind, other.key));
      return byText != 0 ? byText : Long.compare(version, other.version);
    }
  }

  /// The base or delta of a revision.
  @SuppressWarnings("ArrayRecordComponent") // written once, never compared
  record State(boolean isBase, byte[] record) {}

  /// The first use of a user's key.
  record Use(String caseId, long receipt) {}

  final CommitId id;
  final Map<String, Head> heads = new TreeMap<>();

  /// The cases whose facts may have changed.
  final Set<String> facts = new TreeSet<>();

  final Map<PartKey, State> states = new TreeMap<>();

  /// The oldest revision of each case whose state stays.
  final Map<String, Long> kept = new TreeMap<>();

  // Null values are rows that are removed. Values are keyed by the hash in hexadecimal digits.
  final Map<TextKey, byte @Nullable []> values = new TreeMap<>();
  final Map<TextKey, byte[]> lasting = new TreeMap<>(); // values that the journal refers to
  final Map<PartKey, byte[]> journal = new TreeMap<>();
  final Map<PartKey, @Nullable EffectIntent> intents = new TreeMap<>();
  final Map<PartKey, Receipt> receipts = new TreeMap<>();
  final Map<TextKey, Use> keys = new TreeMap<>();
  final Map<TextKey, Integer> consumed = new TreeMap<>();
  final Map<PartKey, byte @Nullable []> trace = new TreeMap<>();
  final Map<String, StoredProgram> programs = new TreeMap<>();
  final Map<RowKey, RowChange> tableRows = new TreeMap<>();
  final TreeSet<String> removals = new TreeSet<>();
  final Map<TextKey, AppliedMessage> applied = new TreeMap<>();
  final List<AuditEntry> audit = new ArrayList<>();

  RowChanges(CommitId id) {
    this.id = id;
  }

  /// Adds a batch.
  ///
  /// @param epoch the epoch that all records must have; [#ANY] if it may be any
  void add(CommitBatch batch, long epoch) throws RowWriter.StaleRevision {
    for (CaseCommit commit : batch.cases()) {
      add(commit, epoch);
    }
    batch.programs().forEach(each -> programs.put(each.hash().toString(), each));
    addRows(batch.rows());
    removals.addAll(batch.removals());
    audit.addAll(batch.audit());
    batch
        .applied()
        .forEach(each -> applied.put(new TextKey(each.caseId(), each.messageId()), each));
  }

  /// Adds changes of the table.
  void addRows(List<RowChange> changes) {
    changes.forEach(change -> tableRows.put(RowKey.of(change.row()), change));
  }

  private void add(CaseCommit commit, long epoch) throws RowWriter.StaleRevision {
    CaseRecord record = commit.record();
    String caseId = record.caseId();
    Head known = heads.get(caseId);
    if (epoch != ANY && record.epoch() != epoch) {
      throw new RowWriter.StaleRevision(
          caseId,
          "case %s: expected epoch %d, got %d: this engine no longer owns the store"
              .formatted(caseId, epoch, record.epoch()));
    }
    if (known != null && record.revision() != known.record.revision() + 1) {
      String sentence = stale(caseId, known.record.revision(), record.revision());
      throw new RowWriter.StaleRevision(caseId, sentence);
    }
    heads.put(caseId, new Head(known == null ? record.revision() - 1 : known.before, record));
    boolean isNew = record.revision() == 1 && record.facts().isEmpty();
    if (commit.changesFacts() && !isNew) {
      facts.add(caseId);
    }
    if (commit.state() != null) {
      add(record, commit.state(), commit.journal());
    }
    commit
        .intentsRemoved()
        .forEach(effect -> intents.put(new PartKey(caseId, effect.lineage()), null));
    commit
        .intentsAdded()
        .forEach(intent -> intents.put(new PartKey(caseId, intent.id().lineage()), intent));
    commit
        .receipts()
        .forEach(receipt -> receipts.put(new PartKey(caseId, receipt.number()), receipt));
    commit
        .keys()
        .forEach(use ->
            keys.putIfAbsent(new TextKey(use.type(), use.key()), new Use(caseId, use.receipt())));
    commit
        .consumed()
        .forEach(message -> consumed.put(new TextKey(caseId, message.id()), message.answer()));
    commit
        .journal()
        .values()
        .forEach(value -> lasting.put(valueKey(caseId, value.hash()), value.bytes()));
    if (commit.journal().bytes().length > 0) {
      journal.put(new PartKey(caseId, record.revision()), commit.journal().bytes());
    }
    if (commit.trace().length > 0) {
      trace.put(new PartKey(caseId, record.revision()), commit.trace());
    }
    if (commit.traceDropped() > 0) {
      trace.put(new PartKey(caseId, commit.traceDropped()), null);
    }
  }

  private void add(CaseRecord record, StateChange change, JournalPart part) {
    String caseId = record.caseId();
    states.put(
        new PartKey(caseId, record.revision()),
        new State(change.isBase(), change.record().bytes()));
    if (change.kept() > 0) {
      kept.put(caseId, change.kept());
      states.keySet().removeIf(key -> key.caseId().equals(caseId) && key.number() < change.kept());
    }
    change.removed().forEach(hash -> values.put(valueKey(caseId, hash), null));
    part.without(change.added())
        .forEach(value -> values.put(valueKey(caseId, value.hash()), value.bytes()));
  }

  private static TextKey valueKey(String caseId, Sum hash) {
    return new TextKey(caseId, HexFormat.of().formatHex(StoredBytes.of(hash)));
  }

  /// Returns the sentence about a commit whose predecessor is not the stored revision.
  static String stale(String caseId, long stored, long next) {
    return "case %s: expected revision %d, got %d: another node has written it"
        .formatted(caseId, stored + 1, next);
  }

  boolean isEmpty() {
    return heads.isEmpty()
        && programs.isEmpty()
        && tableRows.isEmpty()
        && removals.isEmpty()
        && applied.isEmpty()
        && audit.isEmpty();
  }

  /// Returns the record of a case that this transaction writes.
  CaseRecord record(String caseId) {
    return Objects.requireNonNull(heads.get(caseId)).record;
  }
}
