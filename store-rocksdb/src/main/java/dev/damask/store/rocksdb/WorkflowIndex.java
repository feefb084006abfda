package dev.damask.store.rocksdb;

import dev.damask.store.CaseRecord;
import dev.damask.store.CorruptCaseException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// The index of cases by workflow, which older versions neither have nor maintain. It is complete
/// if the last opening of the store was by a version that maintains it; otherwise it is filled
/// again.
final class WorkflowIndex {
  /// The name under which the number of the last opening with this index is stored.
  static final String MARK = "listed";

  private static final byte[] NOTHING = {};
  private static final int BATCH = 4_096;

  private WorkflowIndex() {}

  /// Fills the index of a store that was opened last by a version without it.
  ///
  /// @param last the number of the last opening; null for a new store
  static void complete(RocksDB db, WriteOptions options, byte @Nullable [] last)
      throws RocksDBException {
    byte[] mark = db.get(Keys.meta(MARK));
    if (last == null || Arrays.equals(mark, last)) {
      return;
    }
    byte[] first = {Keys.LISTED};
    byte[] end = {Keys.LISTED + 1};
    db.deleteRange(first, end);
    byte[] prefix = {Keys.STATUS};
    try (RocksIterator cases = db.newIterator();
        WriteBatch batch = new WriteBatch()) {
      for (cases.seek(prefix); cases.isValid(); cases.next()) {
        byte[] key = cases.key();
        if (!Keys.startsWith(key, prefix)) {
          break;
        }
        CaseRecord record = record(db, Keys.caseOfStatus(key));
        if (record != null) {
          batch.put(Keys.listed(record), NOTHING);
        }
        if (batch.count() >= BATCH) {
          db.write(options, batch);
          batch.clear();
        }
      }
      cases.status();
      db.write(options, batch);
    }
  }

  /// Returns the record of a case; null if it is corrupt, because no list of a workflow has it.
  private static @Nullable CaseRecord record(RocksDB db, String caseId) {
    try {
      return RocksStore.ofCase(
          caseId,
          () -> {
            byte[] bytes = get(db, Keys.caseOf(caseId));
            return bytes == null
                ? null
                : StateChain.decode(key -> get(db, key), caseId, bytes).record();
          });
    } catch (CorruptCaseException e) {
      return null;
    }
  }

  private static byte @Nullable [] get(RocksDB db, byte[] key) {
    try {
      return db.get(key);
    } catch (RocksDBException e) {
      throw RocksStore.failure("cannot read the store", e);
    }
  }
}
