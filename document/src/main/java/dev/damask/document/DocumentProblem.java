package dev.damask.document;

import dev.damask.check.Diagnostic;
import dev.damask.check.Diagnostic.Severity;
import dev.damask.json.Position;
import java.util.List;
import java.util.Objects;

/// Thrown when a document cannot be used. The message is one line: where, what is wrong, and what
/// to do.
public final class DocumentProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// The code of errors that keep a document from being read.
  private static final String CODE = "DOCUMENT";

  private final transient List<Diagnostic> diagnostics;

  DocumentProblem(List<Diagnostic> diagnostics) {
    super(diagnostics.getFirst().message() + Diagnostic.more(diagnostics), null, false, false);
    this.diagnostics = List.copyOf(diagnostics);
  }

  /// Creates an error of a document.
  ///
  /// @param source the name of the document, usually a file; empty if unknown
  static Diagnostic error(String source, String path, Position at, String message) {
    return new Diagnostic(Severity.ERROR, CODE, source, path, at.line(), at.column(), message, "");
  }

  /// Returns all errors in the order of the document; at least one.
  public List<Diagnostic> diagnostics() {
    return Objects.requireNonNull(diagnostics);
  }
}
