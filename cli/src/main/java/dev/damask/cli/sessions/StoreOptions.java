package dev.damask.cli.sessions;

import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreFolder;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionOptions;
import dev.damask.session.Sessions;
import dev.damask.store.Store;
import java.nio.file.Path;
import java.util.function.Function;
import picocli.CommandLine.Option;

/// The options of every command on the sessions of a store.
final class StoreOptions {
  @Option(
      names = "--store",
      paramLabel = "DIR or URL",
      required = true,
      description = "The directory of the store, or the URL of a cluster.")
  private Path store = Path.of("");

  @Option(
      names = "--owner",
      paramLabel = "NAME",
      description = "The owner of the sessions, graphs and rules. Default: the name of the user.")
  private String owner = System.getProperty("user.name", "user");

  String owner() {
    return owner;
  }

  SessionKey key(long number) {
    return SessionKey.of(owner, number);
  }

  /// Opens an existing store, applies an action to its sessions and closes it.
  <T> T with(Function<Sessions, T> action) {
    return opened(new StoreFolder(store).open(), action);
  }

  /// Like [#with], but creates the store if it does not exist.
  <T> T withAny(Function<Sessions, T> action) {
    return opened(new StoreFolder(store).openToMake(), action);
  }

  private static <T> T opened(Store opened, Function<Sessions, T> action) {
    try (Sessions sessions = Sessions.open(SessionOptions.defaults(), opened)) {
      return action.apply(sessions);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }
}
