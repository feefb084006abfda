package dev.damask.benchmarks;

import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
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

  /// Writes batches of records for a while; says how many records a second became durable.
  double recordsPerSecond(int batchSize, int recordBytes, long nanos) throws RocksDBException {
    byte[] value = new byte[recordBytes];
    long records = 0;
    long begin = System.nanoTime();
    long end = begin + nanos;
    while (System.nanoTime() < end) {
      try (WriteBatch batch = new WriteBatch()) {
        for (int i = 0; i < batchSize; i++) {
          next++;
          value[i % recordBytes] = (byte) next;
          batch.put(
              ("k" + Long.toHexString(next)).getBytes(java.nio.charset.StandardCharsets.UTF_8),
              value);
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
