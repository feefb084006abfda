package dev.damask.cli.run;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.RecordingFile;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
import dev.damask.compile.Compiler;
import dev.damask.document.DocumentSource;
import dev.damask.document.LoadedDocument;
import dev.damask.program.Program;
import dev.damask.registry.Orchestration;
import dev.damask.source.Rejected;
import dev.damask.trace.Replay;
import dev.damask.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Repeats a recorded run and compares it.
@Command(
    name = "replay",
    description = {
      "Replays a run recorded by 'damask run --trace-out FILE' and compares both traces.",
      "The recording contains the document, context, events, results and choices."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:same", "1:diverged", "2:not a recording"})
public final class ReplayCommand implements Callable<Integer> {
  private final Streams streams;

  @Parameters(paramLabel = "TRACE", description = "The recording.")
  private Path file = Path.of("");

  public ReplayCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    RecordingFile.Contents contents = RecordingFile.read(file);
    return switch (Replay.replay(program(contents), contents.recording())) {
      case Replay.Result.Same(int events) -> {
        streams.out().println("same: " + events + (events == 1 ? " event" : " events"));
        yield Exit.OK;
      }
      case Replay.Result.Diverged(String sentence) -> {
        streams.out().println("diverged: " + sentence);
        yield Exit.DIFFERENT;
      }
    };
  }

  private static Program program(RecordingFile.Contents contents) {
    if (Orchestration.isGraph(contents.documentText())) {
      Orchestration graph = new Orchestration(contents.documentText(), contents.rules());
      try {
        return Compiler.compile(graph.workflow());
      } catch (Rejected e) {
        throw new Refusal(contents.documentName() + ": " + e.getMessage());
      }
    }
    Bytes text = Bytes.of(contents.documentText().getBytes(StandardCharsets.UTF_8));
    return LoadedDocument.load(DocumentSource.parse(contents.documentName(), text)).program();
  }
}
