package dev.damask.store.rocksdb;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.JournalPart;
import dev.damask.store.StateChange;
import dev.damask.store.StoredState;
import dev.damask.task.EffectId;
import dev.damask.value.Decoder;
import dev.damask.value.SharedValue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Encodes a commit or a removal as keys and values.
final class Changes {
  private static final byte[] NOTHING = {};

  /// Up to so many keys of one kind are removed one by one. A range costs each later read of the
  /// memtable, and the changes of a write with a range are not sorted.
  private static final int SINGLE_MAX = 256;

  /// What belongs to a case beside its record and the indexes.
  private static final List<Byte> KINDS =
      List.of(
          Keys.INTENT,
          Keys.RECEIPT,
          Keys.MESSAGE,
          Keys.TRACE,
          Keys.STATE,
          Keys.VALUE,
          Keys.JOURNAL,
          Keys.RECORD,
          Keys.LASTING);

  private final RocksStore store;
  private final Verification.Scan scan;
  private final Function<byte[], byte @Nullable []> get;

  Changes(RocksStore store, Verification.Scan scan, Function<byte[], byte @Nullable []> get) {
    this.store = store;
    this.scan = scan;
    this.get = get;
  }

  /// Removes all keys of a case, even if its record cannot be read.
  ///
  /// @param isWritten whether the store has all keys of the case, so that they can be read
  void remove(WriteBatchBytes out, String caseId, boolean isWritten) {
    for (Receipt receipt : readable(caseId)) {
      byte[] key = Keys.key(receipt.body().type(), receipt.body().key());
      byte[] use = get.apply(key);
      if (use != null && new Decoder(use).text().equals(caseId)) {
        out.delete(key);
      }
    }
    for (byte kind : KINDS) {
      removeAll(out, Keys.of(kind, caseId), isWritten);
    }
    byte[] ended = get.apply(Keys.endOf(caseId));
    if (ended != null) {
      out.delete(Keys.ended(new Decoder(ended).fixed()));
      out.delete(Keys.endOf(caseId));
    }
    CaseRecord record;
    try {
      record = store.record(caseId).orElse(null);
    } catch (CorruptCaseException e) {
      record = null;
      removeFromIndexes(out, caseId);
    }
    if (record != null) {
      out.delete(Keys.status(record));
      out.delete(Keys.listed(record));
      FactKeys.of(record).forEach(out::delete);
      if (record.dueMillis() != CaseRecord.NEVER) {
        out.delete(Keys.due(record.dueMillis(), caseId));
      }
    }
    out.delete(Keys.caseOf(caseId));
  }

  private void removeAll(WriteBatchBytes out, byte[] prefix, boolean isWritten) {
    List<byte[]> keys = new ArrayList<>();
    if (isWritten) {
      scan.over(prefix, prefix, (key, _) -> keys.add(key) && keys.size() <= SINGLE_MAX);
    }
    if (isWritten && keys.size() <= SINGLE_MAX) {
      keys.forEach(out::delete);
    } else {
      byte[] end = prefix.clone();
      end[end.length - 1] = 1;
      out.deleteRange(prefix, end);
    }
  }

  private List<Receipt> readable(String caseId) {
    try {
      return store.receipts(caseId);
    } catch (CorruptCaseException e) {
      return List
          .of(); // their user keys stay used, which rejects a later effect instead of repeating it
    }
  }

  private void removeFromIndexes(WriteBatchBytes out, String caseId) {
    List<byte[]> keys = new ArrayList<>();
    byte[] status = {Keys.STATUS};
    scan.over(status, status, (key, _) -> !Keys.caseOfStatus(key).equals(caseId) || keys.add(key));
    byte[] listed = {Keys.LISTED};
    scan.over(
        listed,
        listed,
        (key, _) -> !Keys.caseOfStatus(Keys.statusOf(key)).equals(caseId) || keys.add(key));
    byte[] due = {Keys.DUE};
    scan.over(due, due, (key, _) -> !Keys.caseOfDue(key).equals(caseId) || keys.add(key));
    byte[] fact = {Keys.FACT};
    scan.over(fact, fact, (key, _) -> !FactKeys.caseOf(key).equals(caseId) || keys.add(key));
    for (byte[] key : keys) {
      out.delete(key);
    }
  }

  /// Writes the next revision of a case with its intents, receipts and index entries.
  static void put(
      WriteBatchBytes out, @Nullable StoredCase stored, StoredCase next, CaseCommit commit) {
    CaseRecord before = stored == null ? null : stored.record();
    CaseRecord record = next.record();
    String caseId = record.caseId();
    out.put(Keys.caseOf(caseId), next::write);
    if (commit.state() != null) {
      removeStates(out, before, commit.state().kept());
      state(out, record, commit.state(), commit.journal());
    }
    for (SharedValue value : commit.journal().values()) {
      out.put(Keys.lasting(caseId, value.hash()), value.bytes());
    }
    CommitRecord small = CommitRecord.of(commit);
    if (!small.isEmpty()) {
      out.put(
          Keys.record(caseId, record.revision()),
          bytes -> small.write(caseId, record.revision(), bytes));
    }
    if (commit.journal().bytes().length > 0 && small.journal().length == 0) {
      out.put(Keys.journal(caseId, record.revision()), commit.journal().bytes());
    }
    if (before == null || before.status() != record.status()) {
      if (before != null) {
        out.delete(Keys.status(before));
      }
      out.put(Keys.status(record), NOTHING);
    }
    if (before == null
        || before.status() != record.status()
        || !before.workflow().equals(record.workflow())) { // changed by a migration
      if (before != null) {
        out.delete(Keys.listed(before));
      }
      out.put(Keys.listed(record), NOTHING);
    }
    FactKeys.write(out, before, record);
    if (before != null
        && before.dueMillis() != CaseRecord.NEVER
        && before.dueMillis() != record.dueMillis()) {
      out.delete(Keys.due(before.dueMillis(), caseId));
    }
    if (record.dueMillis() != CaseRecord.NEVER) {
      out.put(Keys.due(record.dueMillis(), caseId), NOTHING);
    }
    intents(out, stored, next, commit.intentsRemoved());
    for (Receipt receipt : small.receipts().isEmpty() ? commit.receipts() : List.<Receipt>of()) {
      out.put(Keys.receipt(caseId, receipt.number()), receipt::write);
    }
    for (CaseCommit.Message message : commit.consumed()) {
      out.put(Keys.message(caseId, message.id()), new byte[] {(byte) message.answer()});
    }
    for (CaseCommit.KeyUse use : commit.keys()) {
      out.put(
          Keys.key(use.type(), use.key()),
          bytes -> {
            bytes.text(caseId);
            bytes.natural(use.receipt());
          });
    }
    if (commit.trace().length > 0 && small.trace().length == 0) {
      out.put(Keys.trace(caseId, record.revision()), commit.trace());
    }
    if (commit.traceDropped() > 0) {
      out.delete(Keys.trace(caseId, commit.traceDropped()));
    }
  }

  /// Removes the states of the revisions before one, which are in the store one by one.
  private static void removeStates(WriteBatchBytes out, @Nullable CaseRecord before, long kept) {
    if (before == null || !(before.state() instanceof StoredState.Head head)) {
      return; // no revision has a state of its own
    }
    String caseId = before.caseId();
    if (kept - head.kept() > SINGLE_MAX) {
      out.deleteRange(Keys.of(Keys.STATE, caseId), Keys.state(caseId, kept));
      return;
    }
    for (long revision = head.kept(); revision < kept; revision++) {
      out.delete(Keys.state(caseId, revision));
    }
  }

  /// Writes the base or delta of a revision.
  private static void state(
      WriteBatchBytes out, CaseRecord record, StateChange change, JournalPart journal) {
    String caseId = record.caseId();
    change.removed().forEach(hash -> out.delete(Keys.value(caseId, hash)));
    for (SharedValue value : journal.without(change.added())) {
      out.put(Keys.value(caseId, value.hash()), value.bytes());
    }
    out.put(Keys.state(caseId, record.revision()), change.record().bytes());
  }

  private static void intents(
      WriteBatchBytes out, @Nullable StoredCase stored, StoredCase next, List<EffectId> removed) {
    String caseId = next.record().caseId();
    boolean wasMarked = stored != null && stored.isMarked();
    if (wasMarked && !next.isMarked()) {
      out.delete(Keys.of(Keys.INTENT, caseId));
    } else if (!wasMarked && next.isMarked()) {
      out.put(Keys.of(Keys.INTENT, caseId), NOTHING);
    }
    if (next.isFar()) {
      for (EffectId effect : removed) {
        out.delete(Keys.intent(caseId, effect));
      }
      for (EffectIntent intent : next.near()) {
        out.put(Keys.intent(caseId, intent.id()), intent::write);
      }
    }
  }
}
