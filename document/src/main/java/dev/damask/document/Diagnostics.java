package dev.damask.document;

import dev.damask.check.Diagnostic;
import dev.damask.json.Json;
import dev.damask.term.TermPath;
import java.util.ArrayList;
import java.util.List;

/// Collects the errors of one document.
final class Diagnostics {
  /// The maximum number of reported errors, because one mistake often causes many.
  static final int MAX = 20;

  private final String source;
  private final List<Diagnostic> diagnostics = new ArrayList<>();

  Diagnostics(String source) {
    this.source = source;
  }

  String source() {
    return source;
  }

  void add(TermPath path, Json node, String message) {
    if (diagnostics.size() < MAX) {
      diagnostics.add(diagnostic(path, node, message));
    }
  }

  private Diagnostic diagnostic(TermPath path, Json node, String message) {
    String shown = path.toString();
    String trimmed = shown.startsWith(".") ? shown.substring(1) : shown;
    return DocumentProblem.error(source, trimmed, node.at(), message);
  }

  /// Creates a problem that ends the reading immediately.
  DocumentProblem problem(TermPath path, Json node, String message) {
    List<Diagnostic> all = new ArrayList<>(diagnostics);
    all.add(diagnostic(path, node, message));
    return new DocumentProblem(all);
  }

  void throwIfAny() {
    if (!diagnostics.isEmpty()) {
      throw new DocumentProblem(diagnostics);
    }
  }
}
