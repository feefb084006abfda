package dev.damask.check;

import dev.damask.term.TermPath;
import java.util.List;

/// One error or warning about a workflow, a document or an orchestration: where, what is wrong, and
/// what to do.
///
/// @param code one word that programs compare, such as `UNKNOWN_PLACE`
/// @param source the document: a file, or the key of a rule document; empty if there is only one
/// @param path where in the workflow or document, such as `do[1].par[0]`; empty for the whole
/// @param line from 1; 0 if there is no text
/// @param column from 1
/// @param remedy what to do; empty if the sentence includes it
public record Diagnostic(
    Severity severity,
    String code,
    String source,
    String path,
    int line,
    int column,
    String sentence,
    String remedy) {
  /// Whether a workflow or document with the diagnostic is rejected.
  public enum Severity {
    ERROR,
    WARNING
  }

  /// Creates a diagnostic about a term.
  public Diagnostic(
      Severity severity, String code, TermPath place, String sentence, String remedy) {
    this(severity, code, "", place.toString(), 0, 0, sentence, remedy);
  }

  /// Returns the same diagnostic at another path of another document.
  public Diagnostic in(String document, String where) {
    return new Diagnostic(severity, code, document, where, line, column, sentence, remedy);
  }

  /// Returns the same diagnostic with a position in the text.
  public Diagnostic at(int newLine, int newColumn) {
    return new Diagnostic(severity, code, source, path, newLine, newColumn, sentence, remedy);
  }

  /// Returns whether the workflow or document is rejected.
  public boolean isError() {
    return severity == Severity.ERROR;
  }

  /// Returns whether it is an error also in a workflow that a store already holds. Rules that are
  /// younger than stored workflows refuse new ones only: existing cases continue.
  public boolean isErrorInStore() {
    return isError() && !TaskCheck.YOUNG.contains(code);
  }

  /// Returns one line without the code.
  public String message() {
    return where() + (path.isEmpty() ? "" : path + ": ") + advice();
  }

  /// Returns one line with the code.
  @Override
  public String toString() {
    return where() + code + (path.isEmpty() ? "" : " at " + path) + ": " + advice();
  }

  private String where() {
    if (line == 0) {
      return source.isEmpty() ? "" : source + ": ";
    }
    return (source.isEmpty() ? "line " : source + ":") + line + ":" + column + ": ";
  }

  private String advice() {
    return sentence + (remedy.isEmpty() ? "" : "; " + remedy);
  }

  /// Returns one line about a workflow that cannot be compiled.
  public static String describe(String workflow, List<Diagnostic> diagnostics) {
    return "workflow " + workflow + ": " + diagnostics.getFirst() + more(diagnostics);
  }

  /// Returns how many diagnostics follow the first one, in brackets; empty if there is one.
  public static String more(List<Diagnostic> diagnostics) {
    return diagnostics.size() == 1 ? "" : " (and " + (diagnostics.size() - 1) + " more)";
  }
}
