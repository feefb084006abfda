package dev.damask.document;

import dev.damask.document.DocumentProblem.Finding;
import dev.damask.term.TermPath;
import java.util.ArrayList;
import java.util.List;

/// Gathers what is wrong with one document.
final class Findings {
  /// One mistake often makes many; more than this helps nobody.
  static final int MAX = 20;

  private final String source;
  private final List<Finding> findings = new ArrayList<>();

  Findings(String source) {
    this.source = source;
  }

  String source() {
    return source;
  }

  void add(TermPath path, DocumentNode node, String message) {
    if (findings.size() < MAX) {
      findings.add(finding(path, node, message));
    }
  }

  private Finding finding(TermPath path, DocumentNode node, String message) {
    String shown = path.toString();
    String trimmed = shown.startsWith(".") ? shown.substring(1) : shown;
    return new Finding(source, trimmed, node.at(), message);
  }

  /// A problem that ends the reading at once.
  DocumentProblem problem(TermPath path, DocumentNode node, String message) {
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
