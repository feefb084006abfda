package dev.damask.store;

import java.nio.file.Path;
import java.util.ServiceLoader;

/// Opens stores that live in a folder; found through `ServiceLoader`.
public interface StoreProvider {
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
