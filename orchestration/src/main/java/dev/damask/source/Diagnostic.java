package dev.damask.source;

import dev.damask.json.Position;

/// One error or warning about a document, with its place.
///
/// @param code one word that programs compare, such as `SPAWN_TARGET_UNKNOWN`
/// @param path where in the document, such as `structure.A1.onValid.spawns[0]`
/// @param line from 1; 0 when the document has no text
/// @param column from 1
/// @param rule the key of the rule document that the line and the column are in; empty for the
///   graph or for a document by itself
public record Diagnostic(
    Severity severity,
    String code,
    String path,
    int line,
    int column,
    String sentence,
    String rule) {
  /// Whether a document with the diagnostic is rejected.
  public enum Severity {
    ERROR,
    WARNING
  }

  /// Creates an error.
  public static Diagnostic error(DiagnosticCode code, String path, Position at, String sentence) {
    return new Diagnostic(Severity.ERROR, code.name(), path, at.line(), at.column(), sentence, "");
  }

  /// Creates a warning.
  public static Diagnostic warning(DiagnosticCode code, String path, Position at, String sentence) {
    return new Diagnostic(
        Severity.WARNING, code.name(), path, at.line(), at.column(), sentence, "");
  }

  /// The same about a rule document.
  public Diagnostic of(String key, String where) {
    return new Diagnostic(severity, code, where, line, column, sentence, key);
  }

  /// Returns the same diagnostic with another position.
  public Diagnostic at(Position spot) {
    return new Diagnostic(severity, code, path, spot.line(), spot.column(), sentence, rule);
  }

  /// Whether it has this code.
  public boolean is(DiagnosticCode wanted) {
    return code.equals(wanted.name());
  }

  /// Whether it is an error and not a warning.
  public boolean isError() {
    return severity == Severity.ERROR;
  }

  @Override
  public String toString() {
    String place = line == 0 ? "" : line + ":" + column + ": ";
    return place + code + (path.isEmpty() ? "" : " at " + path) + ": " + sentence;
  }
}
