package dev.damask.store.rocksdb;

import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;

/// The store at one moment: all reads see the same commits.
final class StoreSnapshot {
  private final RocksDB db;
  private final OpenGate gate;
  private final ReadOptions options;

  private StoreSnapshot(RocksDB db, OpenGate gate, ReadOptions options) {
    this.db = db;
    this.gate = gate;
    this.options = options;
  }

  /// Runs an action on the store as it is now. The snapshot must not be used after the action.
  static <T extends @Nullable Object> T read(
      RocksDB db, OpenGate gate, Function<StoreSnapshot, T> action) {
    gate.enter();
    try (ReadOptions options = new ReadOptions()) {
      Snapshot snapshot = db.getSnapshot();
      try {
        return action.apply(new StoreSnapshot(db, gate, options.setSnapshot(snapshot)));
      } finally {
        db.releaseSnapshot(snapshot);
      }
    } finally {
      gate.leave();
    }
  }

  byte @Nullable [] get(byte[] key) {
    try {
      return db.get(options, key);
    } catch (RocksDBException e) {
      throw RocksStore.failure("cannot read the store", e);
    }
  }

  /// Opens an iterator, which the caller must close.
  RocksIterator iterator() {
    return db.newIterator(options);
  }

  /// Throws `StoreException` if the store is being closed.
  void requireOpen() {
    gate.requireOpen();
  }

  /// Iterates over the keys with a prefix, starting at a key, until the action returns false.
  void scan(byte[] prefix, byte[] from, BiPredicate<byte[], byte[]> action) {
    try (RocksIterator iterator = db.newIterator(options)) {
      walk(gate, iterator, prefix, from, at -> action.test(at.key(), at.value()));
    }
  }

  /// Moves an iterator over the keys with a prefix until the action returns false or the store is
  /// being closed.
  static void walk(
      OpenGate gate,
      RocksIterator iterator,
      byte[] prefix,
      byte[] from,
      Predicate<RocksIterator> action) {
    try {
      iterator.seek(from);
      while (iterator.isValid()
          && Keys.startsWith(iterator.key(), prefix)
          && action.test(iterator)) {
        gate.requireOpen();
        iterator.next();
      }
      iterator.status();
    } catch (RocksDBException e) {
      throw RocksStore.failure("cannot read the store", e);
    }
  }
}
