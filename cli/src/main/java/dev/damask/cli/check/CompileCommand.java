package dev.damask.cli.check;

import dev.damask.cli.command.Documents;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.GraphFiles;
import dev.damask.cli.command.Streams;
import dev.damask.compile.Compiler;
import dev.damask.document.LoadedDocument;
import dev.damask.program.Listing;
import dev.damask.program.Program;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Prints the program of a workflow document.
@Command(
    name = "compile",
    description = "Prints the compiled program of a workflow document and its hash.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:printed", "2:invalid document"})
public final class CompileCommand implements Callable<Integer> {
  private final Streams streams;

  @Parameters(paramLabel = "DOC", description = "The workflow or graph document.")
  private Path document = Path.of("");

  @Option(names = "--raw", description = "Shows the program before the optimiser.")
  private boolean raw;

  public CompileCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    Program program =
        Documents.load(document)
            .map(LoadedDocument::program)
            .orElseGet(() -> Compiler.compile(GraphFiles.workflow(document, null, null)));
    streams.out().print(raw ? Listing.raw(program) : Listing.optimised(program));
    streams.out().println("hash " + program.hash());
    return Exit.OK;
  }
}
