package dev.damask.store.rocksdb;

import dev.damask.store.CaseRecord;
import dev.damask.store.StateChange;
import dev.damask.store.Store.RevisionRecord;
import dev.damask.store.StoredState;
import dev.damask.value.Decoder.DamagedBytes;
import java.util.ArrayList;
import java.util.List;

/// Reads the records of a case's state.
final class StateChain {
  private StateChain() {}

  /// Reads the base and the deltas of a case up to the revision of its record.
  static StoredState.Chain read(RocksStore store, CaseRecord record) {
    String caseId = record.caseId();
    if (!(record.state() instanceof StoredState.Head head)) {
      throw new DamagedBytes("the state of case " + caseId + " has no records");
    }
    List<StateChange.Stored> records = new ArrayList<>();
    for (RevisionRecord each : store.states(caseId, head.base(), record.revision())) {
      records.add(each.record());
    }
    return new StoredState.Chain(record.revision(), records, hash -> store.value(caseId, hash));
  }

  /// The record with its chain in memory. The chain is read again if the case was committed
  /// meanwhile, because a commit may remove older records.
  static CaseRecord loaded(RocksStore store, CaseRecord record) {
    CaseRecord current = record;
    while (current.state() instanceof StoredState.Head head) {
      StoredState.Chain chain = read(store, current);
      StoredCase after = store.stored(record.caseId());
      if (after == null || after.record().revision() == current.revision()) {
        return current.withState(head.with(() -> chain));
      }
      current = after.record();
    }
    return current;
  }
}
