package dev.damask.document;

import dev.damask.document.DocumentProblem.Finding;
import dev.damask.json.Json;
import dev.damask.term.TermPath;
import java.util.ArrayList;
import java.util.List;

/// Collects the errors of one document.
final class Findings {
  /// The maximum number of reported errors, because one mistake often causes many.
  static final int MAX = 20;

  private final String source;
  private final List<Finding> findings = new ArrayList<>();

  Findings(String source) {
    this.source = source;
  }

  String source() {
    return source;
  }

  void add(TermPath path, Json node, String message) {
    if (findings.size() < MAX) {
      findings.add(finding(path, node, message));
    }
  }

  private Finding finding(TermPath path, Json node, String message) {
    String shown = path.toString();
    String trimmed = shown.startsWith(".") ? shown.substring(1) : shown;
    return new Finding(source, trimmed, node.at(), message);
  }

  /// Creates a problem that ends the reading immediately.
  DocumentProblem problem(TermPath path, Json node, String message) {
    List<Finding> all = new ArrayList<>(findings);
    all.add(finding(path, node, message));
    return new DocumentProblem(all);
  }

  void throwIfAny() {
    if (!findings.isEmpty()) {
      throw new DocumentProblem(findings);
    }
  }
}
