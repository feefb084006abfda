package dev.damask.cli;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Streams;
import dev.damask.document.SchemaWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// Prints the JSON Schema of documents.
@Command(
    name = "schema",
    description = {
      "Prints the JSON Schema of workflow and scenario documents.",
      "Editors use it for completion and validation."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = "0:printed")
final class SchemaCommand implements Callable<Integer> {
  private final Streams streams;

  SchemaCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    streams.out().println(SchemaWriter.write().strip());
    return Exit.OK;
  }
}
