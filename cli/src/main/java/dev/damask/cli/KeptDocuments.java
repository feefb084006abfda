package dev.damask.cli;

import dev.damask.compile.Compiler;
import dev.damask.document.DocumentProblem;
import dev.damask.document.DocumentReader;
import dev.damask.document.WorkflowDocument;
import dev.damask.program.ProgramHash;
import dev.damask.store.Store;
import dev.damask.store.StoredProgram;
import dev.damask.task.Bytes;
import dev.damask.term.Workflow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

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

  /// Gives an engine the workflows of the documents that its store keeps.
  static Optional<Workflow> read(Bytes source) {
    return Optional.of(new DocumentReader().read("the kept document", source.toArray()).workflow());
  }

  /// What a document says, to be kept with its program.
  static Bytes source(Path file) {
    try {
      return Bytes.of(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new Refusal(file + ": the file cannot be read");
    }
  }
}
