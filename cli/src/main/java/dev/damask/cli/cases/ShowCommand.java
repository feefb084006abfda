package dev.damask.cli.cases;

import dev.damask.cli.command.CaseWords;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Lines;
import dev.damask.cli.command.RecordingFile;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.Streams;
import dev.damask.history.HistoryPosition;
import dev.damask.json.JsonWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Shows the status, pending inputs, receipts and last trace events of a case, and a diagram of the
/// workflow with its tokens. It changes nothing.
@Command(
    name = "show",
    description =
        "Shows a case of a store: status, pending tasks, receipts and the end of its trace.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:shown", "2:no store, no such case, or the file cannot be written"})
public final class ShowCommand extends StoreCommand {
  @Parameters(paramLabel = "ID", arity = "0..*", description = "The case. " + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "Writes a diagram (SVG) of the workflow with the tokens of the case, or the recording.")
  private @Nullable Path output;

  @Option(
      names = "--tail",
      paramLabel = "N",
      description = "The number of trace events. Default: 10.")
  private int tail = 10;

  @Option(
      names = "--revision",
      paramLabel = "N",
      description =
          "Shows the state as it was at this revision, without receipts and trace."
              + " Default: the last revision.")
  private @Nullable Long revision;

  @Option(
      names = "--as",
      paramLabel = "FORM",
      description =
          "Prints the case in another form: history (its positions with time and cause), scenario"
              + " (a document that 'damask test' runs) or recording (a file for RecordedCase of the"
              + " test kit; requires -o).")
  private @Nullable Form form;

  @Option(
      names = "--redact",
      paramLabel = "KEY",
      description = "With --as scenario: replaces the values of this key. Can be repeated.")
  private List<String> redacted = List.of();

  @Option(
      names = "--document",
      paramLabel = "DOC",
      description = "The workflow document, if the store does not contain it.")
  private @Nullable Path document;

  /// Another form of a case.
  enum Form {
    HISTORY,
    SCENARIO,
    RECORDING;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public ShowCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words, "ID");
    if (tail < 0) {
      throw new Refusal("--tail must not be negative, got " + tail);
    }
    if (!redacted.isEmpty() && form != Form.SCENARIO) {
      throw new Refusal("--redact requires --as scenario");
    }
    String caseId = arguments.get(0);
    try (CaseBook book = CaseBook.open(arguments.host(), document)) {
      if (form != null) {
        streams.out().print(other(book, caseId, form));
        return Exit.OK;
      }
      CasePicture picture = new CasePicture(book.summary(caseId, tail, revision));
      if (output != null) {
        write(output, "diagram", book.diagram(caseId, revision).getBytes(StandardCharsets.UTF_8));
      }
      streams.out().print(json ? picture.json() + System.lineSeparator() : picture.text());
      return Exit.OK;
    }
  }

  private String other(CaseBook book, String caseId, Form wanted) {
    return switch (wanted) {
      case HISTORY -> positions(book.positions(caseId));
      case SCENARIO -> book.scenario(caseId, Set.copyOf(redacted));
      case RECORDING -> {
        if (output == null) {
          throw new Refusal("--as recording requires -o FILE");
        }
        write(output, "recording", book.recording(caseId));
        yield "";
      }
    };
  }

  /// Returns one line for each position.
  private String positions(List<HistoryPosition> all) {
    StringBuilder text = new StringBuilder();
    for (HistoryPosition each : all) {
      text.append(json ? object(each) : line(each)).append(System.lineSeparator());
    }
    return text.toString();
  }

  private static String object(HistoryPosition position) {
    return JsonWriter.line(
        JsonWriter.object(
            "position", position.number(),
            "revision", position.revision(),
            "committed", position.isCommitted(),
            "at", CaseWords.time(position.atMillis()),
            "cause", position.cause().name().toLowerCase(Locale.ROOT),
            "subject", position.subject()));
  }

  private static String line(HistoryPosition position) {
    return Lines.shown(
        "%6d  revision %d%s  %s  %s"
            .formatted(
                position.number(),
                position.revision(),
                position.isCommitted() ? "" : "…",
                CaseWords.time(position.atMillis()),
                position.text()));
  }

  private static void write(Path file, String what, byte[] bytes) {
    try {
      Files.write(file, bytes);
    } catch (IOException e) {
      throw new Refusal(
          "%s: the %s cannot be written: %s".formatted(file, what, RecordingFile.why(file, e)));
    }
  }
}
