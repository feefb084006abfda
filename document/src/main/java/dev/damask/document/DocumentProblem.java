package dev.damask.document;

import java.util.List;
import java.util.Objects;

/// A document cannot be used. The message is one line: where, what, and what to do.
public final class DocumentProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Finding> findings;

  DocumentProblem(List<Finding> findings) {
    super(message(findings), null, false, false);
    this.findings = List.copyOf(findings);
  }

  /// One thing that is wrong.
  ///
  /// @param source the name of the document, a file mostly; empty when unknown
  /// @param path where in the document, such as `do[1].par[0]`; empty for the whole
  /// @param position the line and column
  /// @param message what is wrong and what to do
  public record Finding(String source, String path, Position position, String message) {
    @Override
    public String toString() {
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

  /// Everything that was found, in the order of the document; at least one.
  public List<Finding> findings() {
    return Objects.requireNonNull(findings);
  }
}
