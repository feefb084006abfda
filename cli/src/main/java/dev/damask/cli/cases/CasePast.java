package dev.damask.cli.cases;

import dev.damask.cli.command.KnownWorkflow;
import dev.damask.cli.command.Refusal;
import dev.damask.document.LoadedDocument;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.history.History;
import dev.damask.history.HistoryPosition;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.scenario.CaseScenario;
import dev.damask.store.CaseRecord;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.RevisionGoneException;
import dev.damask.store.Store;
import java.util.List;
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

  private History history(@Nullable KnownWorkflow known) {
    return new History(
        store,
        record,
        (hash, scheduler, tracer) -> {
          if (known == null || !known.program().hash().equals(hash)) {
            throw new Refusal(
                "case %s: the store does not contain the document of program %s;"
                        .formatted(record.caseId(), hash)
                    + " name it with --document");
          }
          Program program = known.program();
          return new Machine(
              program, new Machine.Options(scheduler, program.limits(), false, tracer));
        });
  }

  /// Returns the case as a scenario document.
  String scenario(@Nullable KnownWorkflow known, Set<String> redacted) {
    LoadedDocument document = known == null ? null : known.document();
    if (document == null) {
      throw known == null ? CaseInputs.unknown(record) : inJava();
    }
    try {
      return read(() -> CaseScenario.of(history(known), document.document(), redacted));
    } catch (CaseScenario.NotExpressible e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }

  private Refusal inJava() {
    return new Refusal(
        "case %s: workflow %s is written in Java, a scenario needs a document; use --as recording"
            .formatted(record.caseId(), record.workflow()));
  }

  /// Returns the case as a file for the test kit.
  byte[] recording() {
    return read(() -> history(null).file().encode());
  }

  /// Returns the positions.
  List<HistoryPosition> positions() {
    return read(() -> history(null).positions());
  }

  /// Returns the program that the case had at a revision.
  ProgramHash program(long revision) {
    return read(() -> history(null).program(revision));
  }

  /// Returns the state of the case at a revision.
  ExecState read(long revision, @Nullable KnownWorkflow known) {
    return read(() -> history(known).read(revision));
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
