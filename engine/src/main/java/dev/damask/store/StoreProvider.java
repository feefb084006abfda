package dev.damask.store;

import java.nio.file.Path;

/// Opens stores that live in a folder; found through `ServiceLoader`.
public interface StoreProvider {
  Store open(Path folder);
}
