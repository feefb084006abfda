package dev.damask.cli;

import dev.damask.orchestration.RegistryEntry;
import dev.damask.orchestration.Rejected;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Puts graphs into the registry of a store, and lists them.
@Command(
    name = "graphs",
    description = "Puts graphs into the registry of a store (put FILE...), or lists them (list).",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "2:invalid document, or it belongs to somebody else"})
final class GraphsCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(paramLabel = "put|list", description = "What to do.")
  private String action = "";

  @Parameters(index = "1..*", arity = "0..*", paramLabel = "FILE", description = "Graph documents.")
  private List<Path> files = List.of();

  GraphsCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    if (!action.equals("put") && !action.equals("list")) {
      throw new Refusal("graphs takes put or list, found '" + action + "'");
    }
    return store.with(sessions -> {
      for (Path file : action.equals("put") ? files : List.<Path>of()) {
        try {
          print(sessions.registry().putGraph(store.owner(), GraphFiles.text(file)));
        } catch (Rejected e) {
          throw new Refusal(file + ": " + e.getMessage());
        }
      }
      if (action.equals("list")) {
        sessions.registry().list(RegistryEntry.Kind.GRAPH).forEach(this::print);
      }
      return Exit.OK;
    });
  }

  private void print(RegistryEntry entry) {
    streams
        .out()
        .println(
            "%s version %d hash %s owner %s"
                .formatted(entry.key(), entry.version(), entry.hash(), entry.owner()));
  }
}
