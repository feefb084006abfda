package dev.damask.orchestration;

import dev.damask.orchestration.Json.Spot;

/// Something a check has to say about a document: what, where, and how bad it is.
///
/// @param code one word that programs can look at, such as `SPAWN_TARGET_UNKNOWN`
/// @param path where in the document, such as `structure.A1.onValid.spawns[0]`
/// @param line from 1; 0 when the document has no text
/// @param column from 1
public record Notice(
    Severity severity, String code, String path, int line, int column, String sentence) {
  /// How bad it is.
  public enum Severity {
    ERROR,
    WARNING
  }

  static Notice error(NoticeCode code, String path, Spot at, String sentence) {
    return new Notice(Severity.ERROR, code.name(), path, at.line(), at.column(), sentence);
  }

  static Notice warning(NoticeCode code, String path, Spot at, String sentence) {
    return new Notice(Severity.WARNING, code.name(), path, at.line(), at.column(), sentence);
  }

  boolean is(NoticeCode wanted) {
    return code.equals(wanted.name());
  }

  public boolean isError() {
    return severity == Severity.ERROR;
  }

  @Override
  public String toString() {
    String place = line == 0 ? "" : line + ":" + column + ": ";
    return place + code + (path.isEmpty() ? "" : " at " + path) + ": " + sentence;
  }
}
