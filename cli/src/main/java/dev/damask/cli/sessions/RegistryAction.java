package dev.damask.cli.sessions;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
import dev.damask.registry.RegistryEntry;
import dev.damask.source.Rejected;
import java.nio.file.Path;
import java.util.List;

/// Puts documents of one kind into the registry of a store, or lists those that are there.
///
/// @param action `put` or `list`
record RegistryAction(Streams streams, StoreOptions store, String action, List<Path> files) {
  /// Puts one file.
  @FunctionalInterface
  interface Put {
    SessionBook.Entry into(SessionBook sessions, Path file);
  }

  int run(RegistryEntry.Kind kind, Put put) {
    boolean isPut = action.equals("put");
    if (!isPut && !action.equals("list")) {
      throw new Refusal("expected put or list, got '" + action + "'");
    }
    if (isPut && files.isEmpty()) {
      throw new Refusal("put requires FILE; name the documents to store");
    }
    return isPut
        ? store.withAny(sessions -> put(sessions, put))
        : store.with(sessions -> {
          sessions.entries(kind).forEach(this::print);
          return Exit.OK;
        });
  }

  private int put(SessionBook sessions, Put put) {
    for (Path file : files) {
      try {
        print(put.into(sessions, file));
      } catch (Rejected e) {
        throw new Refusal(file + ": " + e.getMessage());
      }
    }
    return Exit.OK;
  }

  private void print(SessionBook.Entry entry) {
    streams
        .out()
        .println(
            "%s version %d hash %s owner %s"
                .formatted(entry.key(), entry.version(), entry.hash(), entry.owner()));
  }
}
