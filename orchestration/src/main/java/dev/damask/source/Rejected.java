package dev.damask.source;

import dev.damask.check.Diagnostic;
import java.util.List;

/// Thrown when a document cannot be used. The message is its first error.
public final class Rejected extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Diagnostic> diagnostics;

  /// Creates the exception about a document with at least one error.
  public Rejected(String document, List<Diagnostic> diagnostics) {
    super(message(document, diagnostics), null, false, false);
    this.diagnostics = List.copyOf(diagnostics);
  }

  private static String message(String document, List<Diagnostic> diagnostics) {
    List<Diagnostic> errors = errors(diagnostics);
    return document + ": " + errors.getFirst() + Diagnostic.more(errors);
  }

  private static List<Diagnostic> errors(List<Diagnostic> diagnostics) {
    return diagnostics.stream().filter(Diagnostic::isError).toList();
  }

  /// Returns the errors in the order of the document; at least one.
  public List<Diagnostic> errors() {
    return errors(diagnostics());
  }

  /// Returns all diagnostics, warnings included.
  public List<Diagnostic> diagnostics() {
    return diagnostics == null ? List.of() : diagnostics;
  }
}
