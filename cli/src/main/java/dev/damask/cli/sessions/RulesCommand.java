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

/// Puts rules into the registry of a store, and lists them.
@Command(
    name = "rules",
    description = "Stores rules in the registry of a store (put FILE...) or lists them (list).",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "2:invalid document, or it belongs to another owner"})
public final class RulesCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(paramLabel = "put|list", description = "The action.")
  private String action = "";

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "FILE",
      description = "Rule documents; the name of a file without .json is the key.")
  private List<Path> files = List.of();

  public RulesCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    return new RegistryAction(streams, store, action, files)
        .run(
            RegistryEntry.Kind.RULE,
            (sessions, file) -> sessions.putRule(GraphFiles.key(file), GraphFiles.text(file)));
  }
}
