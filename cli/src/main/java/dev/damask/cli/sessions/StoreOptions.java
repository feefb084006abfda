package dev.damask.cli.sessions;

import dev.damask.cli.command.CaseHost;
import dev.damask.cli.command.ServerArguments;
import dev.damask.cli.command.ServerClient;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.StoreFolder;
import dev.damask.session.SessionKey;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The options of every command on the sessions of a store.
final class StoreOptions {
  @Option(
      names = "--store",
      paramLabel = "DIR or URL",
      description = "The directory of the store, or the URL of a cluster.")
  private @Nullable Path store;

  @Mixin private ServerArguments server = new ServerArguments();

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  @Option(
      names = "--owner",
      paramLabel = "NAME",
      description = "The owner of the sessions, graphs and rules. Default: the name of the user.")
  private String owner = System.getProperty("user.name", "user");

  String owner() {
    return owner;
  }

  CaseHost host() {
    ServerClient client = server.client(store != null);
    if (client != null) {
      return CaseHost.of(client);
    }
    if (store == null) {
      throw StoreCommand.misused(spec, "missing --store=DIR or URL");
    }
    return CaseHost.of(new StoreFolder(store));
  }

  SessionKey key(long number) {
    return SessionKey.of(owner, number);
  }

  /// Applies an action to the sessions of an existing store or a server.
  <T> T with(Function<SessionBook, T> action) {
    try (SessionBook book = SessionBook.open(host(), owner)) {
      return action.apply(book);
    }
  }

  /// Like [#with], but creates the store if it does not exist.
  <T> T withAny(Function<SessionBook, T> action) {
    try (SessionBook book = SessionBook.openOrMake(host(), owner)) {
      return action.apply(book);
    }
  }
}
