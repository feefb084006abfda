package dev.damask.cli.sessions;

import dev.damask.cli.command.GraphFiles;
import dev.damask.cli.command.Streams;
import dev.damask.registry.RegistryEntry;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Puts graphs into the registry of a store, and lists them.
@Command(
    name = "graphs",
    description = "Stores graphs in the registry of a store (put FILE...) or lists them (list).",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "2:invalid document, or it belongs to another owner"})
public final class GraphsCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(paramLabel = "put|list", description = "The action.")
  private String action = "";

  @Parameters(index = "1..*", arity = "0..*", paramLabel = "FILE", description = "Graph documents.")
  private List<Path> files = List.of();

  public GraphsCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    return new RegistryAction(streams, store, action, files)
        .run(
            RegistryEntry.Kind.GRAPH, (sessions, file) -> sessions.putGraph(GraphFiles.text(file)));
  }
}
