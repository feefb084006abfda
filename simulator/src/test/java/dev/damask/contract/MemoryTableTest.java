package dev.damask.contract;

import dev.damask.store.MemoryStore;
import dev.damask.store.Store;

/// Rows by kind, key and version, in memory.
final class MemoryTableTest implements TableContract {
  private final MemoryStore store = new MemoryStore();

  @Override
  public Store open() {
    return store;
  }
}
