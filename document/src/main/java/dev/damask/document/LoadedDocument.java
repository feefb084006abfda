package dev.damask.document;

import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/// A workflow document that has been read, parsed, checked and compiled once.
///
/// @param bytes the text that was compiled; a store keeps these bytes
public record LoadedDocument(Bytes bytes, WorkflowDocument document, Program program) {
  /// Loads a file. Throws [DocumentProblem] with all errors if it cannot start new cases.
  public static LoadedDocument load(Path file) {
    return load(DocumentSource.read(file));
  }

  /// Loads a parsed document. Throws [DocumentProblem] with all errors if it cannot start new
  /// cases.
  public static LoadedDocument load(DocumentSource source) {
    return load(source, Diagnostic::isError);
  }

  /// Loads a document that existing cases were started with. Rules that are newer than stored
  /// workflows do not apply.
  public static LoadedDocument loadStored(DocumentSource source) {
    return load(source, Diagnostic::isErrorInStore);
  }

  private static LoadedDocument load(DocumentSource source, Predicate<Diagnostic> refuses) {
    WorkflowDocument document = new DocumentReader().read(source);
    return new LoadedDocument(source.bytes(), document, compile(source.name(), document, refuses));
  }

  /// Checks and compiles a workflow that is part of another document. Throws [DocumentProblem] with
  /// all errors.
  public static Program compile(String name, WorkflowDocument document) {
    return compile(name, document, Diagnostic::isError);
  }

  private static Program compile(
      String name, WorkflowDocument document, Predicate<Diagnostic> refuses) {
    List<Diagnostic> diagnostics = TermCheck.check(document.workflow());
    List<Diagnostic> errors =
        diagnostics.stream().filter(refuses).map(each -> document.located(name, each)).toList();
    if (!errors.isEmpty()) {
      throw new DocumentProblem(errors);
    }
    return Compiler.compile(document.workflow(), diagnostics, refuses);
  }

  /// Returns the workflow of the document.
  public WorkflowDefinition workflow() {
    return document.workflow();
  }
}
