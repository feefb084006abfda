package dev.damask.store.rocksdb;

import dev.damask.store.Store;
import dev.damask.store.StoreProvider;
import java.nio.file.Path;

/// Opens folders with RocksDB; what `Engine.open(Path, …)` finds.
public final class RocksStoreProvider implements StoreProvider {
  @Override
  public Store open(Path folder) {
    return RocksStore.open(folder);
  }
}
