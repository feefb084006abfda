package dev.damask.store.rocksdb;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.store.CaseRecord;
import dev.damask.store.PastStates;
import dev.damask.store.RecordSource;
import dev.damask.store.StateChange;
import dev.damask.store.Store.LoadedCase;
import dev.damask.store.Store.RevisionInputs;
import dev.damask.store.Store.RevisionRecord;
import dev.damask.store.StoredState;
import dev.damask.store.SupersededStateException;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.Sum;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Reads the records and values of a case's state. A commit may remove older ones, so they are read
/// in the same snapshot as the case record that refers to them.
final class StateChain {
  private StateChain() {}

  /// Reads a case with its state and its open effects; null if it does not exist.
  static @Nullable LoadedCase load(StoreSnapshot at, String caseId) {
    StoredCase stored = stored(at, caseId);
    if (stored == null) {
      return null;
    }
    CaseRecord record = stored.record();
    if (record.state() instanceof StoredState.Head head) {
      StoredState.Chain chain = chain(at, record, head);
      record = record.withState(head.with(() -> chain));
    }
    return new LoadedCase(record, stored.isFar() ? intents(at, caseId) : stored.near());
  }

  static @Nullable StoredCase stored(StoreSnapshot at, String caseId) {
    byte[] bytes = at.get(Keys.caseOf(caseId));
    return bytes == null ? null : decode(at::get, caseId, bytes);
  }

  /// Decodes a case with the values that its intents refer to.
  static StoredCase decode(Function<byte[], byte @Nullable []> get, String caseId, byte[] bytes) {
    return StoredCase.decode(caseId, bytes, hash -> value(get, caseId, hash));
  }

  /// Reads the receipts of a case, the oldest first.
  static List<Receipt> receipts(StoreSnapshot at, String caseId) {
    List<byte[]> stored = new ArrayList<>();
    byte[] prefix = Keys.of(Keys.RECEIPT, caseId);
    at.scan(prefix, prefix, (_, bytes) -> stored.add(bytes));
    CommitRecord.receipts(at::scan, caseId, stored::add);
    List<Receipt> receipts = new ArrayList<>(stored.size());
    for (byte[] bytes : stored) {
      receipts.add(Receipt.decode(bytes, hash -> value(at::get, caseId, hash)));
    }
    receipts.sort(Comparator.comparingLong(Receipt::number));
    return receipts;
  }

  private static List<EffectIntent> intents(StoreSnapshot at, String caseId) {
    List<EffectIntent> open = new ArrayList<>();
    byte[] prefix = Keys.of(Keys.INTENT, caseId);
    at.scan(
        prefix,
        prefix,
        (_, value) -> open.add(EffectIntent.decode(value, hash -> value(at::get, caseId, hash))));
    return open;
  }

  /// Reads the state of a record that was read earlier. Throws [SupersededStateException] if the
  /// case was removed since, or a later commit has removed the records.
  static StoredState.Chain read(StoreSnapshot at, CaseRecord record) {
    if (!(record.state() instanceof StoredState.Head head)) {
      throw new DamagedBytes("the state of case " + record.caseId() + " has no records");
    }
    StoredCase now = stored(at, record.caseId());
    boolean isKept =
        now != null
            && now.record().startedMillis() == record.startedMillis()
            && now.record().state() instanceof StoredState.Head later
            && later.kept() <= head.base();
    if (!isKept) {
      throw new SupersededStateException(record.caseId(), record.revision());
    }
    return chain(at, record, head);
  }

  private static StoredState.Chain chain(
      StoreSnapshot at, CaseRecord record, StoredState.Head head) {
    String caseId = record.caseId();
    List<StateChange.Stored> records = new ArrayList<>();
    at.scan(
        Keys.of(Keys.STATE, caseId),
        Keys.state(caseId, head.base()),
        (key, value) -> {
          long revision = Keys.revisionOf(key);
          if (revision <= record.revision()) {
            records.add(new StateChange.Stored(value));
          }
          return revision < record.revision();
        });
    Map<Sum, byte[]> values = new HashMap<>();
    for (Sum hash : PastStates.values(records)) {
      byte[] value = value(at::get, caseId, hash);
      if (value != null) {
        values.put(hash, value);
      }
    }
    return new StoredState.Chain(record.revision(), records, values::get);
  }

  /// Returns the record with a way to its state, which is read when it is asked for.
  static CaseRecord deferred(CaseRecord record, Supplier<StoredState.Chain> chain) {
    return record.state() instanceof StoredState.Head head
        ? record.withState(head.with(chain))
        : record;
  }

  /// A value of a case; null if the case has none.
  static byte @Nullable [] value(Function<byte[], byte @Nullable []> get, String caseId, Sum hash) {
    byte[] value = get.apply(Keys.value(caseId, hash));
    return value == null ? get.apply(Keys.lasting(caseId, hash)) : value;
  }

  /// The inputs of the commits from one revision to another, both included.
  static List<RevisionInputs> journal(Verification.Scan scan, String caseId, long from, long to) {
    List<RevisionInputs> found = new ArrayList<>();
    scan.over(
        Keys.of(Keys.JOURNAL, caseId),
        Keys.journal(caseId, from),
        (key, value) -> {
          long revision = Keys.revisionOf(key);
          if (revision <= to) {
            found.add(new RevisionInputs(revision, value));
          }
          return revision < to;
        });
    CommitRecord.inputs(scan, caseId, from, to, found::add);
    return sorted(found);
  }

  /// Parts of the trace of a case, in the order of their revisions.
  static List<RevisionInputs> trace(Verification.Scan scan, String caseId, long from) {
    List<RevisionInputs> found = new ArrayList<>();
    scan.over(
        Keys.of(Keys.TRACE, caseId),
        Keys.trace(caseId, from),
        (key, value) -> found.add(new RevisionInputs(Keys.revisionOf(key), value)));
    CommitRecord.traces(scan, caseId, from, found::add);
    return sorted(found);
  }

  private static List<RevisionInputs> sorted(List<RevisionInputs> parts) {
    parts.sort(Comparator.comparingLong(RevisionInputs::revision));
    return parts;
  }

  /// The records and values in one snapshot.
  static RecordSource source(StoreSnapshot at) {
    return new RecordSource() {
      @Override
      public List<RevisionRecord> states(String caseId, long from, long to) {
        return records(at::scan, caseId, from, to);
      }

      @Override
      public List<RevisionInputs> journal(String caseId, long from, long to) {
        return StateChain.journal(at::scan, caseId, from, to);
      }

      @Override
      public byte @Nullable [] value(String caseId, Sum hash) {
        return StateChain.value(at::get, caseId, hash);
      }
    };
  }

  /// The bases and deltas of a case from one revision to another, both included.
  static List<RevisionRecord> records(Verification.Scan scan, String caseId, long from, long to) {
    List<RevisionRecord> records = new ArrayList<>();
    scan.over(
        Keys.of(Keys.STATE, caseId),
        Keys.state(caseId, from),
        (key, value) -> {
          long revision = Keys.revisionOf(key);
          if (revision <= to) {
            records.add(new RevisionRecord(revision, new StateChange.Stored(value)));
          }
          return revision < to;
        });
    return records;
  }
}
