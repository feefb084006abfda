package dev.damask.store.rocksdb;

import dev.damask.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.WALRecoveryMode;

/// The options, the listener and the mark that RocksDB is opened with.
record Opening(Options options, FileChanges changes, DurableMark mark) {
  static Opening of(Path folder, Path data) {
    DurableMark mark = DurableMark.open(folder, data);
    mark.requireFiles();
    FileChanges changes = new FileChanges();
    Properties checks = new Properties();
    // A closed write-ahead log must exist in its full length.
    checks.setProperty("track_and_verify_wals_in_manifest", "true");
    try (DBOptions database = Objects.requireNonNull(DBOptions.getDBOptionsFromProps(checks));
        ColumnFamilyOptions family = new ColumnFamilyOptions()) {
      Options options =
          new Options(database, family)
              .setCreateIfMissing(!Files.exists(data.resolve("CURRENT")))
              .setListeners(List.of(changes))
              // A tail truncated by a crash was never acknowledged, as the mark shows. Any other
              // corruption must be reported.
              .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
              .setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(new BloomFilter()));
      return new Opening(options, changes, mark);
    }
  }

  void close() {
    options.close();
    changes.close();
  }

  /// Throws `StoreException` if this version cannot read the format of a store.
  ///
  /// @param format null for a new store
  static void requireReadable(byte @Nullable [] format) {
    if (format != null && format[0] > RocksStore.FORMAT) {
      throw new StoreException(
          "the store has format %d, this version reads format %d; use the version that wrote it"
              .formatted(format[0], RocksStore.FORMAT));
    }
    if (format != null && format[0] < RocksStore.OLDEST) {
      throw new StoreException(
          ("the store has format %d, this version reads formats %d to %d; finish its cases with"
                  + " the version that wrote it")
              .formatted(format[0], RocksStore.OLDEST, RocksStore.FORMAT));
    }
  }
}
