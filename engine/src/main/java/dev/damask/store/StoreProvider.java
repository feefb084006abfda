package dev.damask.store;

import java.nio.file.Path;
import java.util.ServiceLoader;

/// Opens stores in a directory; found through `ServiceLoader`.
public interface StoreProvider {
  /// Opens the store in a directory and creates it if it does not exist. Throws [StoreException] if
  /// it cannot be opened.
  Store open(Path folder);

  /// Returns the provider on the class path or module path. Throws [StoreException] if there is
  /// none.
  static StoreProvider find() {
    return ServiceLoader.load(StoreProvider.class)
        .findFirst()
        .orElseThrow(() ->
            new StoreException(
                "no store provider found; add damask-store-rocksdb to the class path or"
                    + " module path"));
  }
}
