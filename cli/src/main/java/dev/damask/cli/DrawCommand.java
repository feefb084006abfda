package dev.damask.cli;

import dev.damask.document.WorkflowDocument;
import dev.damask.drawing.Drawing;
import dev.damask.term.Workflow;
import dev.damask.verify.pnml.PnmlProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Draws a workflow.
@Command(
    name = "draw",
    description = "Draws a workflow document as SVG.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:drawn", "2:invalid document, or the file cannot be written"})
final class DrawCommand implements Callable<Integer> {
  private final Streams streams;

  @Parameters(paramLabel = "DOC", description = "The workflow or graph document, or a net in PNML.")
  private Path document = Path.of("");

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE.svg",
      description = "Where to write the picture; standard output without it.")
  private @Nullable Path output;

  DrawCommand(Streams streams) {
    this.streams = streams;
  }

  private Workflow workflow() {
    if (GraphFiles.isGraph(document)) {
      return GraphFiles.workflow(document);
    }
    WorkflowDocument read = Documents.read(document);
    // A picture of names that do not exist would mislead.
    Documents.compile(document.toString(), read);
    return read.workflow();
  }

  private String net() {
    try {
      return NetPicture.svg(document);
    } catch (PnmlProblem problem) {
      throw new Refusal(document + ": " + problem.getMessage());
    }
  }

  @Override
  public Integer call() {
    String svg = Checkable.isNet(document) ? net() : Drawing.svg(workflow());
    if (output == null) {
      streams.out().print(svg);
      return Exit.OK;
    }
    try {
      Files.writeString(output, svg);
      return Exit.OK;
    } catch (IOException e) {
      throw new Refusal(
          output + ": the picture cannot be written: " + RecordingFile.why(output, e));
    }
  }
}
