package dev.damask.store.rocksdb;

import java.util.concurrent.atomic.AtomicBoolean;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.CompactionJobInfo;
import org.rocksdb.FlushJobInfo;
import org.rocksdb.MemTableInfo;
import org.rocksdb.RocksDB;

/// Records that RocksDB has started another write-ahead log or changed its MANIFEST. RocksDB calls
/// it on its own threads, so it only sets a flag.
final class FileChanges extends AbstractEventListener {
  private final AtomicBoolean changed = new AtomicBoolean(true);

  FileChanges() {
    super(
        EnabledEventCallback.ON_FLUSH_COMPLETED,
        EnabledEventCallback.ON_COMPACTION_COMPLETED,
        EnabledEventCallback.ON_MEMTABLE_SEALED);
  }

  /// Returns whether a file has changed since the last call.
  boolean take() {
    return changed.get() && changed.getAndSet(false);
  }

  @Override
  public void onFlushCompleted(RocksDB db, FlushJobInfo info) {
    changed.set(true);
  }

  @Override
  public void onCompactionCompleted(RocksDB db, CompactionJobInfo info) {
    changed.set(true);
  }

  @Override
  public void onMemTableSealed(MemTableInfo info) {
    changed.set(true);
  }
}
