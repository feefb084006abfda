package dev.damask.cli;

import dev.damask.compile.Compiler;
import dev.damask.document.DocumentProblem;
import dev.damask.document.DocumentReader;
import dev.damask.document.WorkflowDocument;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import dev.damask.store.StoredProgram;
import dev.damask.task.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The workflow documents that a store keeps with the programs made from them.
final class KeptDocuments {
  private KeptDocuments() {}

  /// The document of a program; empty when the store has none that still gives this program.
  static Optional<WorkflowDocument> find(Store store, ProgramHash hash) {
    StoredProgram kept = store.program(hash).orElse(null);
    if (kept == null || kept.source().length() == 0) {
      return Optional.empty();
    }
    try {
      WorkflowDocument document = new DocumentReader().read(kept.name(), kept.source().toArray());
      return Compiler.compile(document.workflow()).hash().equals(hash)
          ? Optional.of(document)
          : Optional.empty();
    } catch (DocumentProblem | IllegalArgumentException e) {
      return Optional.empty(); // written for a version that read documents differently
    }
  }

  /// The documents of all cases that have not ended.
  static List<WorkflowDocument> ofOpenCases(Store store) {
    Set<ProgramHash> seen = new HashSet<>();
    List<WorkflowDocument> documents = new ArrayList<>();
    for (CaseStatus status : CaseStatus.values()) {
      String cursor = "";
      do {
        CasePage page =
            status.isEnded()
                ? new CasePage(List.of(), "")
                : store.list(
                    CaseQuery.ALL.withStatus(status).withPage(cursor, CaseQuery.LIMIT_MAX));
        for (CaseRecord record : page.cases()) {
          if (seen.add(record.program())) {
            find(store, record.program()).ifPresent(documents::add);
          }
        }
        cursor = page.next();
      } while (!cursor.isEmpty());
    }
    return documents;
  }

  /// Keeps a document for whoever opens the store next.
  static void keep(Store store, Program program, Path file) {
    try {
      Bytes source = Bytes.of(Files.readAllBytes(file));
      StoredProgram kept = new StoredProgram(program.hash(), program.name(), source);
      store.commit(CommitBatch.of(List.of(kept))).join();
    } catch (IOException e) {
      throw new Refusal(file + ": the file cannot be read");
    }
  }
}
