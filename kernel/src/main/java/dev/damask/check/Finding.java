package dev.damask.check;

import dev.damask.term.TermPath;
import java.util.List;

/// Something the check has to say about a workflow: what, where, and what to do about it.
///
/// @param remedy empty when there is nothing better to say than the sentence itself
public record Finding(
    Severity severity, String code, TermPath place, String sentence, String remedy) {
  public enum Severity {
    ERROR,
    WARNING
  }

  public boolean isError() {
    return severity == Severity.ERROR;
  }

  @Override
  public String toString() {
    return code + " at " + place + ": " + sentence + (remedy.isEmpty() ? "" : "; " + remedy);
  }

  /// One line for a workflow that cannot be compiled.
  public static String describe(String workflow, List<Finding> findings) {
    String more = findings.size() == 1 ? "" : " (and " + (findings.size() - 1) + " more)";
    return "workflow " + workflow + ": " + findings.getFirst() + more;
  }
}
