package dev.damask.benchmarks;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// RocksDB by itself: what the engine's durable figures are compared with.
final class RawStore implements AutoCloseable {
  private final Options options = new Options().setCreateIfMissing(true);
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final RocksDB db;
  private long next;

  RawStore(Path folder) throws RocksDBException {
    RocksDB.loadLibrary();
    this.db = RocksDB.open(options, folder.toString());
  }

  /// A key and its value.
  static final class Entry {
    private final byte[] key;
    private final byte[] value;

    Entry(byte[] key, byte[] value) {
      this.key = key;
      this.value = value;
    }

    byte[] key() {
      return key.clone();
    }

    byte[] value() {
      return value.clone();
    }
  }

  /// What a store of the engine has of one case.
  static List<Entry> entriesOf(Path store, String caseId) throws RocksDBException {
    List<Entry> entries = new ArrayList<>();
    byte[] id = caseId.getBytes(StandardCharsets.UTF_8);
    try (RocksDB db = RocksDB.openReadOnly(store.resolve("data").toString());
        RocksIterator each = db.newIterator()) {
      for (each.seekToFirst(); each.isValid(); each.next()) {
        if (indexOf(each.key(), id) >= 0) {
          entries.add(new Entry(each.key(), each.value()));
        }
      }
    }
    return entries;
  }

  private static int indexOf(byte[] key, byte[] part) {
    for (int at = 0; at + part.length <= key.length; at++) {
      if (Arrays.equals(key, at, at + part.length, part, 0, part.length)) {
        return at;
      }
    }
    return -1;
  }

  /// Writes records for a while, each made of the same entries with another id in their keys; says
  /// how many records a second became durable.
  double recordsPerSecond(int batchSize, List<Entry> record, String caseId, long nanos)
      throws RocksDBException {
    byte[] id = caseId.getBytes(StandardCharsets.UTF_8);
    long records = 0;
    long begin = System.nanoTime();
    long end = begin + nanos;
    while (System.nanoTime() < end) {
      try (WriteBatch batch = new WriteBatch()) {
        for (int i = 0; i < batchSize; i++) {
          byte[] another = HexFormat.of().toHexDigits(++next).getBytes(StandardCharsets.UTF_8);
          for (Entry entry : record) {
            byte[] key = entry.key.clone();
            int at = indexOf(key, id);
            System.arraycopy(another, another.length - id.length, key, at, id.length);
            batch.put(key, entry.value);
          }
        }
        db.write(synced, batch);
      }
      records += batchSize;
    }
    return records * 1e9 / (System.nanoTime() - begin);
  }

  @Override
  public void close() {
    db.close();
    synced.close();
    options.close();
  }
}
