package dev.damask.cli.command;

import dev.damask.store.Store;
import dev.damask.store.StoreException;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Where the cases of a command are: in a store, which the command opens or another process holds,
/// or at a server.
public final class CaseHost {
  private final @Nullable StoreFolder folder;
  private final @Nullable ServerClient server;

  private CaseHost(@Nullable StoreFolder folder, @Nullable ServerClient server) {
    this.folder = folder;
    this.server = server;
  }

  /// Returns the host that is a store.
  public static CaseHost of(StoreFolder folder) {
    return new CaseHost(folder, null);
  }

  /// Returns the host that is a server.
  public static CaseHost of(ServerClient server) {
    return new CaseHost(null, server);
  }

  /// Opens what a command works with: on the store, or on the process that holds it, or on the
  /// server. Both functions own what they receive.
  public <T> T open(Function<Store, T> local, Function<ServerClient, T> remote) {
    return open(StoreFolder::openOrHeld, local, remote);
  }

  /// Like [#open(Function, Function)], but creates the store if it does not exist.
  public <T> T openOrMake(Function<Store, T> local, Function<ServerClient, T> remote) {
    return open(StoreFolder::makeOrHeld, local, remote);
  }

  /// What a run works with: the store, or the client of a server. The other one is null.
  public record Opened(@Nullable Store store, @Nullable ServerClient server) {}

  /// Opens a store to run cases on it, as [StoreFolder#openToRun] does, or a server.
  public Opened openToRun(boolean isMade) {
    return open(
        folder -> folder.runOrHeld(isMade),
        store -> new Opened(store, null),
        found -> new Opened(null, found));
  }

  private <T> T open(
      Function<StoreFolder, Store> opening,
      Function<Store, T> local,
      Function<ServerClient, T> remote) {
    if (server != null) {
      return remote.apply(server);
    }
    if (folder == null) {
      throw new IllegalStateException("a host is a store or a server");
    }
    Store store;
    try {
      store = opening.apply(folder);
    } catch (StoreException.Held e) {
      Optional<ServerClient> found = HeldServer.find(folder, e);
      return remote.apply(found.orElseThrow(() -> new Refusal(String.valueOf(e.getMessage()))));
    }
    return local.apply(store);
  }

  /// Returns whether the host is a server that was named by its URL.
  public boolean isServer() {
    return server != null;
  }

  /// Returns the directory or cluster. Throws [Refusal] if the host is a server.
  public StoreFolder folder(String command) {
    if (folder == null) {
      throw new Refusal(
          command + ": does not work over HTTP; run it where the store is, with --store");
    }
    return folder;
  }

  @Override
  public String toString() {
    return folder == null ? String.valueOf(server) : folder.toString();
  }
}
