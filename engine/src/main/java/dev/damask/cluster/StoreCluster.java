package dev.damask.cluster;

import dev.damask.store.StoreException;

/// A store that several engines share. Each engine that joins is a node and moves only the cases of
/// the slots that it owns.
public interface StoreCluster {
  /// Adds a node and returns the store as this node sees it. Throws [StoreException] if the store
  /// cannot be used.
  SharedStore join();
}
