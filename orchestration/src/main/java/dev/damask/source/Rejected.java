package dev.damask.source;

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
    long errors = diagnostics.stream().filter(Diagnostic::isError).count();
    String first =
        diagnostics.stream()
            .filter(Diagnostic::isError)
            .findFirst()
            .map(Diagnostic::toString)
            .orElse("");
    return document + ": " + first + (errors > 1 ? " (and " + (errors - 1) + " more)" : "");
  }

  /// Returns all diagnostics, warnings included.
  public List<Diagnostic> diagnostics() {
    return diagnostics == null ? List.of() : diagnostics;
  }
}
