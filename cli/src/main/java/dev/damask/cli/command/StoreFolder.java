package dev.damask.cli.command;

import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoreProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The directory of a store, or the URL of a cluster. A directory is checked before it is opened,
/// so that a misspelt name creates no store.
public record StoreFolder(Path path) {
  /// What every store has.
  private static final String DATA = "data";

  /// A path has lost one of the slashes of a URL.
  private static final Pattern OTHER_URL = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:/.*");

  /// Opens an existing store; a cluster as a client that owns nothing.
  public Store open() {
    return refused(this::openOrHeld);
  }

  /// Like [#open], but throws [StoreException.Held] if another process holds the store.
  Store openOrHeld() {
    String url = url();
    if (url != null) {
      return opened(() -> ClusterUrls.provider(url).client(url));
    }
    requireStore();
    return opened();
  }

  /// Like [#openToMake], but throws [StoreException.Held] if another process holds the store.
  Store makeOrHeld() {
    return url() == null ? openOrMake() : openOrHeld();
  }

  /// Opens a store to run cases on it; a cluster as a node if no other one is alive.
  ///
  /// @param isMade whether a directory is created that does not exist
  public Store openToRun(boolean isMade) {
    return refused(() -> runOrHeld(isMade));
  }

  /// Like [#openToRun], but throws [StoreException.Held] if another process holds the store.
  Store runOrHeld(boolean isMade) {
    String url = url();
    if (url != null) {
      return opened(() -> ClusterUrls.provider(url).nodeIfAlone(url));
    }
    return isMade ? openOrMake() : openOrHeld();
  }

  /// Opens a store alone, to copy it. Throws [Refusal] while an engine is open on it.
  ///
  /// @param isMade whether a directory is created that does not exist
  public Store openAlone(boolean isMade) {
    String url = url();
    if (url != null) {
      return opened(() -> ClusterUrls.provider(url).alone(url));
    }
    return isMade ? refused(this::openOrMake) : open();
  }

  /// The URL of a cluster; null for a directory. A path has lost one of its slashes.
  private @Nullable String url() {
    return ClusterUrls.url(path.toString());
  }

  /// Returns the directory, or the URL without user and password.
  @Override
  public String toString() {
    String url = url();
    return url == null ? path.toString() : ClusterUrls.provider(url).shown(url);
  }

  /// Returns whether this is a directory that contains a store.
  public boolean isStore() {
    return url() == null && Files.isDirectory(path.resolve(DATA));
  }

  /// Throws [Refusal] if the directory contains no store.
  public void requireStore() {
    requireName();
    if (url() == null && Files.isDirectory(path) && !Files.isExecutable(path)) {
      throw new Refusal(path + ": the directory cannot be read: access denied");
    }
    if (url() == null && !Files.isDirectory(path.resolve(DATA))) {
      throw new Refusal(path + ": not a store; 'damask run DOC --store " + path + "' creates one");
    }
  }

  /// Opens a store, or creates one in a directory that is empty or missing; a cluster as a client.
  public Store openToMake() {
    return refused(this::makeOrHeld);
  }

  private Store openOrMake() {
    requireRoom();
    return opened();
  }

  /// Throws [Refusal] if no store can be created in the directory.
  public void requireRoom() {
    requireName();
    if (url() == null && !Files.isDirectory(path.resolve(DATA)) && !isFree()) {
      throw new Refusal(path + ": neither a store nor an empty directory; name another directory");
    }
  }

  /// Throws [Refusal] for a URL that is not of a cluster: it would become a directory.
  private void requireName() {
    String name = path.toString();
    if (name.isEmpty()) {
      throw new Refusal("the name of the store is empty; name a directory or the URL of a cluster");
    }
    if (url() == null && OTHER_URL.matcher(name).matches()) {
      throw new Refusal(
          name
              + ": not the URL of a cluster; name a directory, or a URL such as"
              + " postgresql://user:password@host/database");
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
    return opened(() ->
        ServiceLoader.load(StoreProvider.class)
            .findFirst()
            .orElseThrow(
                () -> new Refusal("no store is available; damask-store-rocksdb is missing"))
            .open(path));
  }

  private static Store refused(Supplier<Store> opening) {
    try {
      return opening.get();
    } catch (StoreException.Held e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }

  private static Store opened(Supplier<Store> opening) {
    try {
      return opening.get();
    } catch (StoreException.Held e) {
      throw e;
    } catch (StoreException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }
}
