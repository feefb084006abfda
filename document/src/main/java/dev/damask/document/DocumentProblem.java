package dev.damask.document;

import dev.damask.json.Position;
import java.util.List;
import java.util.Objects;

/// Thrown when a document cannot be used. The message is one line: where, what is wrong, and what
/// to do.
public final class DocumentProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Finding> findings;

  DocumentProblem(List<Finding> findings) {
    super(message(findings), null, false, false);
    this.findings = List.copyOf(findings);
  }

  /// One error in a document.
  ///
  /// @param source the name of the document, usually a file; empty if unknown
  /// @param path the path in the document, such as `do[1].par[0]`; empty for the whole
  /// @param position the line and column; [Position#NONE] for the file as a whole
  /// @param message what is wrong and what to do
  public record Finding(String source, String path, Position position, String message) {
    @Override
    public String toString() {
      if (position.equals(Position.NONE)) {
        return (source.isEmpty() ? "" : source + ": ")
            + (path.isEmpty() ? "" : path + ": ")
            + message;
      }
      String place = (source.isEmpty() ? "line " : source + ":") + position + ": ";
      return place + (path.isEmpty() ? "" : path + ": ") + message;
    }
  }

  private static String message(List<Finding> findings) {
    int more = findings.size() - 1;
    String rest =
        more == 0 ? "" : " (and " + more + (more == 1 ? " more problem)" : " more problems)");
    return findings.getFirst() + rest;
  }

  /// Returns all errors in the order of the document; at least one.
  public List<Finding> findings() {
    return Objects.requireNonNull(findings);
  }
}
