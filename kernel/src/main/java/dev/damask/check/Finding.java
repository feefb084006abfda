package dev.damask.check;

import dev.damask.term.TermPath;
import java.util.List;

/// Something the check has to say about a workflow: what, where, and what to do about it.
///
/// @param remedy empty when there is nothing better to say than the sentence itself
public record Finding(
    Severity severity, String code, TermPath place, String sentence, String remedy) {
  /// Whether a workflow with the finding can be compiled.
  public enum Severity {
    ERROR,
    WARNING
  }

  /// Returns whether the workflow cannot be compiled.
  public boolean isError() {
    return severity == Severity.ERROR;
  }

  /// Whether it is an error also in a workflow that a store already holds. Rules that are younger
  /// than stored workflows refuse new ones only: existing cases continue.
  public boolean isErrorInStore() {
    return isError() && !TaskCheck.YOUNG.contains(code);
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
