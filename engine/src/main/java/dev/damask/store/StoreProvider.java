package dev.damask.store;

import java.nio.file.Path;
import java.util.ServiceLoader;

/// Opens stores that live in a folder; found through `ServiceLoader`.
public interface StoreProvider {
  /// Opens the store in a directory and creates it if it does not exist. Throws [StoreException] if
  /// it cannot be opened.
  Store open(Path folder);

  /// The provider on the class or module path; throws [StoreException] if there is none.
  static StoreProvider find() {
    return ServiceLoader.load(StoreProvider.class)
        .findFirst()
        .orElseThrow(() ->
            new StoreException(
                "no store for folders was found: add damask-store-rocksdb to the class or"
                    + " module path"));
  }
}
