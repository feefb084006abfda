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

/// The folder of a store, looked at before it is opened: a typing mistake makes no new store.
public record StoreFolder(Path path) {
  /// What every store has.
  private static final String DATA = "data";

  /// Opens a store that is there.
  public Store open() {
    requireStore();
    return opened();
  }

  /// Refuses a folder without a store.
  public void requireStore() {
    if (!Files.isDirectory(path.resolve(DATA))) {
      throw new Refusal(
          path + ": there is no store here; 'damask run DOC --store " + path + "' makes one");
    }
  }

  /// Opens a store, or makes one in a folder that is empty or missing.
  public Store openOrMake() {
    requireRoom();
    return opened();
  }

  /// Refuses a folder in which no store can be made.
  public void requireRoom() {
    if (!Files.isDirectory(path.resolve(DATA)) && !isFree()) {
      throw new Refusal(
          path + ": this is not a store, and it is not an empty folder either; name another one");
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
      throw new Refusal(path + ": the folder cannot be read: " + e.getMessage());
    }
  }

  private Store opened() {
    try {
      return ServiceLoader.load(StoreProvider.class)
          .findFirst()
          .orElseThrow(() -> new Refusal("this build of damask has no store"))
          .open(path);
    } catch (StoreException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }
}
