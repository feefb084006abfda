package dev.damask.check;

import dev.damask.term.TermPath;
import java.util.List;

/// A diagnostic of the check: what is wrong, where, and what to do.
///
/// @param remedy what to do; empty when the sentence says it
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

  /// Returns whether it is an error also in a workflow that a store already holds. Rules that are
  /// younger than stored workflows refuse new ones only: existing cases continue.
  public boolean isErrorInStore() {
    return isError() && !TaskCheck.YOUNG.contains(code);
  }

  @Override
  public String toString() {
    return code + " at " + place + ": " + sentence + (remedy.isEmpty() ? "" : "; " + remedy);
  }

  /// Returns one line for a workflow that cannot be compiled.
  public static String describe(String workflow, List<Finding> findings) {
    String more = findings.size() == 1 ? "" : " (and " + (findings.size() - 1) + " more)";
    return "workflow " + workflow + ": " + findings.getFirst() + more;
  }
}
