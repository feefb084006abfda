package dev.damask.cli.cases;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.RecordingFile;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.Streams;
import dev.damask.document.DocumentSource;
import dev.damask.document.LoadedDocument;
import dev.damask.drawing.Drawing;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import java.io.IOException;
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
    try (Store store = arguments.folder().open()) {
      CaseRecord record = require(store, arguments.get(0));
      if (form != null) {
        streams.out().print(other(store, record, form));
        return Exit.OK;
      }
      CasePicture picture =
          revision == null
              ? CasePicture.of(store, record, document(store, record.program()), tail)
              : past(store, record, revision);
      if (output != null) {
        draw(record, picture, output);
      }
      streams.out().print(json ? picture.json() + System.lineSeparator() : picture.text());
      return Exit.OK;
    }
  }

  private String other(Store store, CaseRecord record, Form wanted) {
    CasePast past = CasePast.of(store, record);
    LoadedDocument found = document(store, record.program());
    return switch (wanted) {
      case HISTORY -> past.positions(json);
      case SCENARIO -> past.scenario(found, Set.copyOf(redacted));
      case RECORDING -> past.save(output);
    };
  }

  private CasePicture past(Store store, CaseRecord record, long number) {
    CasePast past = CasePast.of(store, record);
    return past.at(number, document(store, past.program(number)));
  }

  private @Nullable LoadedDocument document(Store store, ProgramHash program) {
    return document == null
        ? new KeptDocuments(store, null).find(program).orElse(null)
        : LoadedDocument.loadStored(DocumentSource.read(document));
  }

  private static void draw(CaseRecord record, CasePicture picture, Path file) {
    LoadedDocument document = picture.document();
    if (document == null) {
      throw CaseInputs.unknown(record);
    }
    try {
      Files.writeString(file, Drawing.svg(document.workflow(), picture.marks()));
    } catch (IOException e) {
      throw new Refusal(file + ": the diagram cannot be written: " + RecordingFile.why(file, e));
    }
  }
}
