package dev.damask.cli.command;

import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoreProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/// The directory of a store. It is checked before it is opened, so that a misspelt name creates no
/// store.
public record StoreFolder(Path path) {
  /// What every store has.
  private static final String DATA = "data";

  /// Opens a store that is there.
  public Store open() {
    requireStore();
    return opened();
  }

  /// Throws [Refusal] if the directory contains no store.
  public void requireStore() {
    if (!Files.isDirectory(path.resolve(DATA))) {
      throw new Refusal(path + ": not a store; 'damask run DOC --store " + path + "' creates one");
    }
  }

  /// Opens a store, or creates one in a directory that is empty or missing.
  public Store openOrMake() {
    requireRoom();
    return opened();
  }

  /// Throws [Refusal] if no store can be created in the directory.
  public void requireRoom() {
    if (!Files.isDirectory(path.resolve(DATA)) && !isFree()) {
      throw new Refusal(path + ": neither a store nor an empty directory; name another directory");
    }
  }

  private boolean isFree() {
    if (!Files.exists(path)) {
      return true;
    }
    try (Stream<Path> files = Files.list(path)) {
      // What is left of an opening that did not get far.
      return files.allMatch(file -> file.endsWith("holder"));
    } catch (NotDirectoryException e) {
      return false;
    } catch (IOException e) {
      throw new Refusal(path + ": the directory cannot be read: " + e.getMessage());
    }
  }

  private Store opened() {
    try {
      return ServiceLoader.load(StoreProvider.class)
          .findFirst()
          .orElseThrow(() -> new Refusal("no store is available; damask-store-rocksdb is missing"))
          .open(path);
    } catch (StoreException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }
}
