package dev.damask.cli.check;

import dev.damask.cli.command.CaseHost;
import dev.damask.cli.command.Documents;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.GraphFiles;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.KnownWorkflow;
import dev.damask.cli.command.RecordingFile;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.ServedWorkflows;
import dev.damask.cli.command.ServerArguments;
import dev.damask.cli.command.ServerClient;
import dev.damask.cli.command.StoreFolder;
import dev.damask.cli.command.Streams;
import dev.damask.document.LoadedDocument;
import dev.damask.drawing.Drawing;
import dev.damask.drawing.Marks;
import dev.damask.drawing.Theme;
import dev.damask.verify.pnml.PnmlProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Draws a workflow.
@Command(
    name = "draw",
    description = "Draws a workflow, a graph or a PNML net as SVG.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:drawn", "2:invalid document, or the file cannot be written"})
public final class DrawCommand implements Callable<Integer> {
  private final Streams streams;

  @Parameters(
      paramLabel = "DOC",
      description =
          "The workflow or graph document, or a net in PNML; with --store or --server the name of a"
              + " workflow, also of one that is written in Java, as NAME or NAME@HASH.")
  private Path document = Path.of("");

  @Option(
      names = "--store",
      paramLabel = "DIR or URL",
      description = "Draws a workflow that this store contains.")
  private @Nullable Path store;

  @Mixin private ServerArguments server = new ServerArguments();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE.svg",
      description = "The output file. Default: standard output.")
  private @Nullable Path output;

  @Option(
      names = "--rules",
      paramLabel = "DIR",
      description = "The rules of a graph document, one KEY.json each.")
  private @Nullable Path rules;

  @Option(
      names = "--bundle",
      paramLabel = "ID",
      description = "Selects one bundle of a file with several.")
  private @Nullable String bundle;

  public DrawCommand(Streams streams) {
    this.streams = streams;
  }

  /// Returns the diagram of a workflow that a store or a server contains; null if none is named.
  private @Nullable String stored() {
    ServerClient client = server.client(store != null);
    CaseHost host;
    if (client != null) {
      host = CaseHost.of(client);
    } else if (store != null) {
      host = CaseHost.of(new StoreFolder(store));
    } else {
      return null;
    }
    String name = document.toString();
    return host.open(
        open -> {
          try (open) {
            KnownWorkflow known = new KeptDocuments(open, null).named(name);
            LoadedDocument loaded = known.document();
            return loaded == null ? Drawing.svg(known.workflow()) : drawn(loaded);
          }
        },
        remote -> {
          try (remote) {
            return new ServedWorkflows(remote).svg(name);
          }
        });
  }

  private String ofFile() {
    // Compiled too: a diagram of names that do not exist would mislead.
    return Documents.load(document)
        .map(DrawCommand::drawn)
        .orElseGet(() -> Drawing.svg(GraphFiles.workflow(document, rules, bundle)));
  }

  private static String drawn(LoadedDocument loaded) {
    return Drawing.svg(loaded.workflow(), Marks.NONE, Theme.AUTO, loaded.document().timing());
  }

  private String net() {
    try {
      return NetPicture.svg(document);
    } catch (PnmlProblem problem) {
      throw new Refusal(String.valueOf(problem.getMessage()));
    }
  }

  @Override
  public Integer call() {
    String svg = stored();
    if (svg == null) {
      svg = CheckFiles.isNet(document) ? net() : ofFile();
    }
    if (output == null) {
      streams.out().print(svg);
      return Exit.OK;
    }
    try {
      Files.writeString(output, svg);
      return Exit.OK;
    } catch (IOException e) {
      throw new Refusal(
          output + ": the diagram cannot be written: " + RecordingFile.why(output, e));
    }
  }
}
