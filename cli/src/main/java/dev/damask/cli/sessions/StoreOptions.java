package dev.damask.cli.sessions;

import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreFolder;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionOptions;
import dev.damask.session.Sessions;
import java.nio.file.Path;
import java.util.function.Function;
import picocli.CommandLine.Option;

/// The options of every command on the sessions of a store.
final class StoreOptions {
  @Option(
      names = "--store",
      paramLabel = "DIR",
      required = true,
      description = "The directory of the store.")
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
    new StoreFolder(store).requireStore();
    return opened(action);
  }

  /// Like [#with], but creates the store if it does not exist.
  <T> T withAny(Function<Sessions, T> action) {
    new StoreFolder(store).requireRoom();
    return opened(action);
  }

  private <T> T opened(Function<Sessions, T> action) {
    try (Sessions sessions = Sessions.open(SessionOptions.defaults(), store)) {
      return action.apply(sessions);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }
}
