package dev.damask.cli.cases;

import dev.damask.cli.command.CaseWords;
import dev.damask.cli.command.Lines;
import dev.damask.cli.command.RecordingFile;
import dev.damask.cli.command.Refusal;
import dev.damask.document.LoadedDocument;
import dev.damask.effect.ReceiptChain;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.family.CaseFamily;
import dev.damask.history.History;
import dev.damask.history.HistoryPosition;
import dev.damask.json.JsonWriter;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.scenario.CaseScenario;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.RevisionGoneException;
import dev.damask.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The kept revisions of a case.
final class CasePast {
  private final Store store;
  private final CaseRecord record;

  private CasePast(Store store, CaseRecord record) {
    this.store = store;
    this.record = record;
  }

  static CasePast of(Store store, CaseRecord record) {
    return new CasePast(store, record);
  }

  private History history(@Nullable LoadedDocument document) {
    return new History(
        store,
        record,
        (hash, scheduler, tracer) -> {
          if (document == null || !document.program().hash().equals(hash)) {
            throw new Refusal(
                "case %s: the store does not contain the document of program %s;"
                        .formatted(record.caseId(), hash)
                    + " name it with --document");
          }
          Program program = document.program();
          return new Machine(
              program, new Machine.Options(scheduler, program.limits(), false, tracer));
        });
  }

  /// Returns the case as a scenario document.
  String scenario(@Nullable LoadedDocument document, Set<String> redacted) {
    if (document == null) {
      throw CaseInputs.unknown(record);
    }
    try {
      return read(() -> CaseScenario.of(history(document), document.document(), redacted));
    } catch (CaseScenario.NotExpressible e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }

  /// Writes the case to a file and returns what was done.
  String save(@Nullable Path file) {
    if (file == null) {
      throw new Refusal("--as recording requires -o FILE");
    }
    byte[] bytes = read(() -> history(null).file().encode());
    try {
      Files.write(file, bytes);
    } catch (IOException e) {
      throw new Refusal(file + ": the recording cannot be written: " + RecordingFile.why(file, e));
    }
    return "";
  }

  /// Returns one line for each position.
  String positions(boolean isJson) {
    StringBuilder text = new StringBuilder();
    for (HistoryPosition each : read(() -> history(null).positions())) {
      String time = CaseWords.time(each.atMillis());
      text.append(
              isJson
                  ? JsonWriter.line(
                      JsonWriter.object(
                          "position", each.number(),
                          "revision", each.revision(),
                          "committed", each.isCommitted(),
                          "at", time,
                          "cause", each.cause().name().toLowerCase(Locale.ROOT),
                          "subject", each.subject()))
                  : Lines.shown(
                      "%6d  revision %d%s  %s  %s"
                          .formatted(
                              each.number(),
                              each.revision(),
                              each.isCommitted() ? "" : "…",
                              time,
                              each.text())))
          .append(System.lineSeparator());
    }
    return text.toString();
  }

  /// Returns the program that the case had at a revision.
  ProgramHash program(long revision) {
    return read(() -> history(null).program(revision));
  }

  /// Returns the case as it was at a revision.
  CasePicture at(long revision, @Nullable LoadedDocument document) {
    ExecState state = read(() -> history(document).read(revision));
    CaseRecord then =
        new CaseRecord(
            record.caseId(),
            revision,
            record.epoch(),
            CaseStatus.valueOf(state.status().name()),
            state.program().name(),
            record.startedMillis(),
            state.view().clockMillis(),
            state.nextDue().orElse(CaseRecord.NEVER),
            ReceiptChain.EMPTY,
            record.terms(),
            "",
            record.state());
    return new CasePicture(then, document, state, List.of(), List.of(), CaseFamily.NONE, List.of());
  }

  private static <T> T read(Supplier<T> action) {
    try {
      return action.get();
    } catch (RevisionGoneException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    } catch (CorruptCaseException e) {
      throw new Refusal(e.getMessage() + "; see 'damask verify'");
    }
  }
}
