package dev.damask.store.rocksdb;

import dev.damask.store.Store;
import dev.damask.store.StoreProvider;
import java.nio.file.Path;

/// The provider through which `Engine.open(Path, …)` opens a directory as a `RocksStore`.
public final class RocksStoreProvider implements StoreProvider {
  @Override
  public Store open(Path folder) {
    return RocksStore.open(folder);
  }
}
